// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A mapping model read from a file: how the objects of one model version become objects of another.
package struct MappingDraft: Sendable {
  package var entities: [EntityMappingDraft] = []
  /// The source model in Xcode's source form; nil if the file does not contain it.
  package var sourceModel: ModelDraft?
  /// The destination model in Xcode's source form; nil if the file does not contain it.
  package var destinationModel: ModelDraft?
  package init() {}
}

/// How the objects of one entity are migrated.
package struct EntityMappingDraft: Sendable {
  package var name: String
  /// Apple's `NSEntityMappingType`: 0 undefined, 1 custom, 2 add, 3 remove, 4 copy, 5 transform.
  package var type: UInt = 0
  package var source: String?
  package var destination: String?
  /// The version hash of the source entity; nil if the file has none.
  ///
  /// In the source form, it is that of the model in the file.
  package var sourceHash: Data?
  /// The version hash of the destination entity; nil if the file does not contain the hash.
  package var destinationHash: Data?
  package var policyClassName: String?
  /// The format string of the expression that evaluates to the source objects.
  package var sourceExpression: String?
  package var userInfo: [String: String] = [:]
  package var attributes: [PropertyMappingDraft] = []
  package var relationships: [PropertyMappingDraft] = []
  package init(name: String) { self.name = name }
}

/// How the value of one property is computed.
package struct PropertyMappingDraft: Sendable {
  package var name: String
  /// The format string of the expression, with variables such as `$source` and `$manager`; nil if the
  /// property is not set.
  package var expression: String?
  package init(name: String, expression: String?) {
    self.name = name
    self.expression = expression
  }
}
