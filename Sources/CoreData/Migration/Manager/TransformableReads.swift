// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// The transformable attributes of the source that the expression of a mapped attribute reads.
///
/// An expression that only copies such an attribute copies the stored data, which needs no transformer. Any
/// other expression would read nil for a value that cannot be decoded, and the value would be lost silently.
struct TransformableReads {
  private let names: [String]
  private let isCopy: Bool

  /// Finds the transformable attributes that the expression reads; returns nil if there are none.
  ///
  /// In the expression, the source is the evaluated object or the variable `$source`.
  init?(_ expression: Term, of source: EntityDefinition?, to destination: PropertyDefinition) {
    var read: [PropertyDefinition] = []
    var rest = [TreeNode.term(expression)]
    while let node = rest.popLast() {
      node.forEachChild { rest.append($0) }
      guard let key = node.sourceKey, let property = source?.property(named: key),
        property.attribute?.type == .transformable
      else { continue }
      read.append(property)
    }
    if read.isEmpty { return nil }
    names = read.map(\.name)
    if case .keyPath = expression, let attribute = destination.attribute {
      isCopy =
        attribute.type == .transformable
        && attribute.ownTransformerName == read.first?.attribute?.ownTransformerName
    } else {
      isCopy = false
    }
  }

  /// Returns the stored data that the mapping copies; nil if the expression must be evaluated.
  ///
  /// - Throws: `NSMigrationError` if the expression reads a value that cannot be decoded.
  func content(of source: NSManagedObject, in plan: MappingPlan) throws -> ArchivedContent? {
    for name in names {
      guard let property = source.entityDefinition.property(named: name),
        let data = source.storedData(of: property)
      else { continue }
      if isCopy { return ArchivedContent(data) }
      if source.value(of: property) == nil {
        throw MigrationErrors.undecodable(property, of: source, in: plan)
      }
    }
    return nil
  }
}

extension TreeNode {
  /// The key path of the source that the node reads; nil for other nodes.
  fileprivate var sourceKey: String? {
    switch self {
    case .term(.keyPath(let path)),
      .term(.keyPathOf(.variable(NSMigrationSourceObjectKey), let path)):
      path
    case .term, .condition: nil
    }
  }
}
