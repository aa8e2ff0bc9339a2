// SPDX-License-Identifier: Apache-2.0

/// A model before it is checked: entities and properties refer to each other by name, and each entity has
/// only the properties that it declares.
///
/// Model files, stores and `NSManagedObjectModel` produce drafts; `ModelDefinition.init(_:)` checks a draft
/// and creates the immutable form.
package struct ModelDraft: Sendable {
  package var entities: [EntityDraft] = []
  package var versionIdentifiers: [String] = []
  /// The names of each configuration's entities, by the configuration's name.
  package var configurations: [String: [String]] = [:]
  package var fetchRequestTemplates: [FetchRequestTemplate] = []
  /// The elements of each composite type, by the name of the type.
  package var composites: [String: [PropertyDraft]] = [:]
  /// The path of the file from which the draft was read; shown in errors.
  package var file: String?
  package init() {}
}

/// The code that is generated for an entity's class; the raw values are those of model files.
package enum CodeGeneration: String, Sendable {
  /// The class and its properties.
  case `class`
  /// Only the properties, in an extension.
  case category
}

/// One entity of a `ModelDraft`.
package struct EntityDraft: Sendable {
  package var name: String
  /// The name of the class of the entity's objects; nil for `NSManagedObject`.
  package var className: String?
  package var isAbstract = false
  package var parent: String?
  /// The properties that the entity itself declares, in any order.
  package var properties: [PropertyDraft] = []
  /// The uniqueness constraints that the entity itself declares, each a list of property names.
  package var uniquenessConstraints: [[String]] = []
  package var fetchIndexes: [FetchIndexDefinition] = []
  package var versionHashModifier: String?
  package var renamingIdentifier: String?
  package var userInfo: [String: String] = [:]
  /// The code that is generated for the class; nil if no code is generated.
  package var codeGeneration: CodeGeneration?
  /// The line of the entity in the model file, for error texts; nil if it is not known.
  package var line: Int?
  package init(name: String) { self.name = name }

  /// Returns a class name read from a file; nil if the text is empty or only a module name, such as `Shop.`.
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
  /// The line of the property in the model file, for error texts; nil if it is not known.
  package var line: Int?
  package init(name: String, kind: Kind) {
    self.name = name
    self.kind = kind
  }
}

/// The part of a `PropertyDraft` that only relationships have.
package struct RelationshipDraft: Sendable {
  package var destination: String
  package var inverse: String?
  /// The maximum number of members: 1 for a to-one, 0 or less for an unbounded to-many.
  package var maxCount = 1
  package var minCount = 0
  package var isOrdered = false
  package var deleteRule = DeleteRule.nullify
  package init(destination: String, inverse: String? = nil) {
    self.destination = destination
    self.inverse = inverse
  }
}

/// A fetch index of an entity: its name, its elements in order, and an optional predicate that limits the
/// indexed rows.
package struct FetchIndexDefinition: Sendable, Hashable {
  package struct Element: Sendable, Hashable {
    /// The name of a property or, if `isExpression` is true, the format string of an expression.
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

/// A fetch request template of a model; its predicate is a format string.
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

/// One sort descriptor of a fetch request template.
package struct RequestSort: Sendable, Hashable {
  /// The selector that a sort descriptor has by default.
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
