// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A mapping model that was read from a file.
package struct MappingDraft: Sendable {
  package var entities: [EntityMappingDraft] = []
  /// The source model, which only Xcode's source form can contain; nil if the file does not contain the
  /// model.
  package var sourceModel: ModelDraft?
  /// The destination model, which only Xcode's source form can contain; nil if the file does not contain the
  /// model.
  package var destinationModel: ModelDraft?
  package init() {}
}

/// An entity mapping that was read from a file or inferred.
package struct EntityMappingDraft: Sendable {
  package var name: String
  /// The raw `NSEntityMappingType`: 0 undefined, 1 custom, 2 add, 3 remove, 4 copy, 5 transform.
  package var type: UInt = 0
  package var source: String?
  package var destination: String?
  /// The version hash of the source entity; nil if the hash is unknown.
  ///
  /// For Xcode's source form, the hash is computed from the source model in the file.
  package var sourceHash: Data?
  /// The version hash of the destination entity; see `sourceHash`.
  package var destinationHash: Data?
  package var policyClassName: String?
  /// The format string of the expression that fetches the source objects; nil if the mapping has no such
  /// expression.
  package var sourceExpression: String?
  package var userInfo: [String: String] = [:]
  package var attributes: [PropertyMappingDraft] = []
  package var relationships: [PropertyMappingDraft] = []
  package init(name: String) { self.name = name }

  /// The entities of the mapping with their version hashes.
  package var claim: MappingFit.Claim {
    MappingFit.Claim(
      mapping: name,
      source: source.map { ($0, sourceHash) },
      destination: destination.map { ($0, destinationHash) }
    )
  }
}

/// A property mapping that was read from a file or inferred.
package struct PropertyMappingDraft: Sendable {
  package var name: String
  /// The format string of the expression that computes the property's new value; nil if the migration does
  /// not set the property.
  ///
  /// The expression can contain variables such as `$source` and `$manager`.
  package var expression: String?
  package init(name: String, expression: String?) {
    self.name = name
    self.expression = expression
  }
}
