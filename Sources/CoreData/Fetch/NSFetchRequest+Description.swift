// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation

/// From Apple's request to the core's description.
extension NSFetchRequest {
  /// - Throws: 134060 for a property that the entity does not have.
  func description(of entity: EntityDefinition) throws -> FetchDescription {
    var description = FetchDescription(entity: entity.index)
    description.includesSubentities = includesSubentities
    description.condition = predicate?.condition
    description.order = (sortDescriptors ?? []).map(\.sortKey)
    description.limit = max(0, fetchLimit)
    description.offset = max(0, fetchOffset)
    switch resultType {
    case .managedObjectIDResultType: description.shape = .keys
    case .countResultType: description.shape = .count
    case .dictionaryResultType:
      description.shape = .dictionaries(try dictionaryShape(of: entity))
    default: description.shape = includesPropertyValues ? .rows : .keys
    }
    return description
  }

  private func dictionaryShape(of entity: EntityDefinition) throws -> DictionaryShape {
    let asked = propertiesToFetch ?? entity.storedSlots.map { entity.properties[$0].name }
    var shape = DictionaryShape(columns: try asked.map { try column($0, entity) })
    shape.groupBy = try (propertiesToGroupBy ?? []).map { try column($0, entity).term }
    shape.having = havingPredicate?.condition
    shape.isDistinct = returnsDistinctResults
    return shape
  }

  private func column(_ item: Any, _ entity: EntityDefinition) throws -> DictionaryShape.Column {
    if let description = item as? NSExpressionDescription {
      guard let expression = description.expression else {
        throw invalid("The expression description “\(description.name)” has no expression.")
      }
      let type = AttributeType(rawValue: description.expressionResultType.rawValue)
      return .init(
        name: description.name,
        term: expression.term,
        type: type == .undefined ? nil : type
      )
    }
    let name = (item as? NSPropertyDescription)?.name ?? item as? String ?? "\(item)"
    guard let first = name.split(separator: ".").first.map(String.init),
      let property = entity.property(named: first)
    else { throw invalid("keypath \(name) not found in entity \(entity.name)") }
    if property.isToMany && !name.contains("@") {
      throw invalid("Invalid to-many relationship in setPropertiesToFetch: (\(name))")
    }
    return .init(name: name, term: .keyPath(name))
  }

  private func invalid(_ text: String) -> NSError {
    coreDataError(NSCoreDataError, text)
  }
}
