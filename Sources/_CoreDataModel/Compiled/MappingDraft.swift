// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A mapping model as files have it: how the objects of one model version become those of another.
package struct MappingDraft: Sendable {
  package var entities: [EntityMappingDraft] = []
  package init() {}
}

/// How the objects of one entity are made.
package struct EntityMappingDraft: Sendable {
  package var name: String
  /// Apple's `NSEntityMappingType`: 1 custom, 2 add, 3 remove, 4 copy, 5 transform.
  package var type: UInt = 0
  package var source: String?
  package var destination: String?
  /// 32 bytes each; nil where the file does not say, as sources of mapping models do not.
  package var sourceHash: Data?
  package var destinationHash: Data?
  package var policyClassName: String?
  /// Format of the expression that gives the source objects.
  package var sourceExpression: String?
  package var userInfo: [String: String] = [:]
  package var attributes: [PropertyMappingDraft] = []
  package var relationships: [PropertyMappingDraft] = []
  package init(name: String) { self.name = name }
}

/// How the value of one property is made.
package struct PropertyMappingDraft: Sendable {
  package var name: String
  /// Format of the expression, of `$source`, `$manager` and the like; nil where nothing is set.
  package var expression: String?
  package init(name: String, expression: String?) {
    self.name = name
    self.expression = expression
  }
}
