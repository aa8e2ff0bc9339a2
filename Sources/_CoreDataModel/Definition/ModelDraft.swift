// SPDX-License-Identifier: Apache-2.0

/// A model while it is being written: names instead of indexes, own properties only.
///
/// Files, the code generator and the shell's descriptions all produce drafts;
/// `ModelDefinition.init(_:)` checks one and turns it into the immutable form.
package struct ModelDraft: Sendable {
  package var entities: [EntityDraft] = []
  package var versionIdentifiers: [String] = []
  /// Configuration name → names of its entities.
  package var configurations: [String: [String]] = [:]
  package var fetchRequestTemplates: [FetchRequestTemplate] = []
  /// Composite type name → its elements.
  package var composites: [String: [PropertyDraft]] = [:]
  /// The file it was read from, for errors.
  package var file: String?
  package init() {}
}

/// One entity of a `ModelDraft`.
package struct EntityDraft: Sendable {
  package var name: String
  /// Nil for the base class.
  package var className: String?
  package var isAbstract = false
  package var parent: String?
  /// The entity's own properties, in any order.
  package var properties: [PropertyDraft] = []
  /// Own constraints: names of properties.
  package var uniquenessConstraints: [[String]] = []
  package var fetchIndexes: [FetchIndexDefinition] = []
  package var versionHashModifier: String?
  package var renamingIdentifier: String?
  package var userInfo: [String: String] = [:]
  /// `class`, `category`, or nil where the code is written by hand.
  package var codeGeneration: String?
  /// Line in the file, for errors.
  package var line: Int?
  package init(name: String) { self.name = name }

  /// Returns a class name as a file has it; nil where it is empty or names a module only.
  static func className(_ text: String?) -> String? {
    guard let text, !text.isEmpty, !text.hasSuffix(".") else { return nil }
    return text
  }
}

/// One property of an `EntityDraft`.
package struct PropertyDraft: Sendable {
  package enum Kind: Sendable {
    case attribute(AttributeDefinition)
    case relationship(RelationshipDraft)
    case fetched(FetchedPropertyDefinition)
  }
  package var name: String
  package var kind: Kind
  package var isOptional = true
  package var isTransient = false
  package var versionHashModifier: String?
  package var renamingIdentifier: String?
  package var userInfo: [String: String] = [:]
  package var isIndexedBySpotlight = false
  /// Line in the file, for errors.
  package var line: Int?
  package init(name: String, kind: Kind) {
    self.name = name
    self.kind = kind
  }
}

/// What a relationship adds to a `PropertyDraft`.
package struct RelationshipDraft: Sendable {
  package var destination: String
  package var inverse: String?
  /// 1 for a to-one; 0 for an unbounded to-many.
  package var maxCount = 1
  package var minCount = 0
  package var isOrdered = false
  package var deleteRule = DeleteRule.nullify
  package init(destination: String, inverse: String? = nil) {
    self.destination = destination
    self.inverse = inverse
  }
}

/// An index of a model: a name and its elements, in order.
package struct FetchIndexDefinition: Sendable, Hashable {
  package struct Element: Sendable, Hashable {
    /// Name of a property, or the text of an expression.
    package var property: String
    package var isExpression = false
    package var isRTree = false
    package var isAscending = true
    package init(property: String) { self.property = property }
  }
  package var name: String
  package var elements: [Element]
  package var partialPredicate: String?
  package init(name: String, elements: [Element], partialPredicate: String? = nil) {
    self.name = name
    self.elements = elements
    self.partialPredicate = partialPredicate
  }
}

/// A stored fetch request of a model; texts as the model file has them.
package struct FetchRequestTemplate: Sendable {
  package var name: String
  package var entity: String
  package var predicateFormat: String?
  package var resultType: UInt = 0
  package var fetchLimit = 0
  package var fetchOffset = 0
  package var fetchBatchSize = 0
  package var sort: [RequestSort] = []
  package var includesSubentities = true
  package var includesPropertyValues = true
  package var includesPendingChanges = true
  package var returnsObjectsAsFaults = true
  package var returnsDistinctResults = false
  package init(name: String, entity: String) {
    self.name = name
    self.entity = entity
  }
}

/// One key of a stored request's order.
package struct RequestSort: Sendable, Hashable {
  /// What a sort descriptor compares with unless it says otherwise.
  package static let comparing = "compare:"
  package var key: String
  package var isAscending: Bool
  package var selector: String
  package init(key: String, isAscending: Bool, selector: String = RequestSort.comparing) {
    self.key = key
    self.isAscending = isAscending
    self.selector = selector
  }
}
