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
    description.stores = affectedStores.map { Set($0.map(\.index)) }
    if resultType != .dictionaryResultType, propertiesToGroupBy != nil || havingPredicate != nil {
      throw invalid("propertiesToGroupBy and havingPredicate need dictionaryResultType.")
    }
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
    shape.isDistinct = returnsDistinctResults && propertiesToFetch != nil
    try shape.checkGrouping()
    return shape
  }

  /// How the objects come into the context.
  ///
  /// - Throws: 134060 for a key path to prefetch that the entity does not have.
  func manner(of entity: EntityDefinition, in model: ModelDefinition) throws -> FetchManner {
    var manner = FetchManner()
    manner.includesUnsaved = includesPendingChanges
    manner.realizes = !returnsObjectsAsFaults
    manner.refreshes = shouldRefreshRefetchedObjects
    manner.batchSize = max(0, fetchBatchSize)
    for path in relationshipKeyPathsForPrefetching ?? [] {
      let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      try checkRelationships(keys, of: entity, in: model)
      manner.paths.insert(keys)
    }
    return manner
  }

  private func checkRelationships(
    _ keys: [String],
    of entity: EntityDefinition,
    in model: ModelDefinition
  ) throws {
    var entities = [entity]
    for key in keys {
      // A sub-entity may be the first that has the relationship.
      let found = entities.flatMap(\.family).lazy
        .compactMap { model.entities[$0].property(named: key) }.first
      guard let relationship = found?.relationship else {
        throw invalid(
          "relationshipKeyPathsForPrefetching: “\(keys.joined(separator: "."))” is no path of "
            + "relationships of the entity \(entity.name); “\(key)” is none."
        )
      }
      entities = [model.entities[relationship.destination]]
    }
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
    if let expression = item as? NSExpression {
      return .init(name: expression.description, term: expression.term)
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
