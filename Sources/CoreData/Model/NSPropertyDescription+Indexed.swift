// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension NSPropertyDescription {
  /// Whether an SQLite store has an index of this property alone.
  ///
  /// Until `isIndexed` is set, its value is true if the entity's `indexes` contain such an index. Setting
  /// `isIndexed` to true adds an index with the name of this property, unless the entity has an index with
  /// that name. Setting `isIndexed` to false removes all indexes of this property alone. The change takes
  /// effect when the model is first used, and does not change `indexes`.
  ///
  /// Source: documented, “isIndexed”; the relation to `indexes` is this library's choice.
  @available(*, deprecated, message: "Use NSEntityDescription.indexes instead")
  public var isIndexed: Bool {
    get { indexMark ?? owner?.target?.indexes.contains { $0.definesIndex(of: name) } ?? false }
    set { indexMark = newValue }
  }

  /// Adds or removes the index of the property if `isIndexed` was set.
  func applyIndexMark(to indexes: inout [FetchIndexDefinition]) {
    guard let indexMark else { return }
    if !indexMark {
      indexes.removeAll { $0.isIndex(of: name) }
    } else if !indexes.contains(where: { $0.name == name || $0.isIndex(of: name) }) {
      indexes.append(FetchIndexDefinition(name: name, elements: [.init(property: name)]))
    }
  }
}

extension NSFetchIndexDescription {
  fileprivate func definesIndex(of property: String) -> Bool {
    elements.count == 1 && elements[0].propertyName == property && !elements[0].isExpression
      && partialIndexPredicate == nil && partialPredicateFormat == nil
  }
}

extension FetchIndexDefinition {
  fileprivate func isIndex(of property: String) -> Bool {
    elements.count == 1 && elements[0].property == property && !elements[0].isExpression
      && partialPredicate == nil
  }
}
