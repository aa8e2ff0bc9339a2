// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

extension NSFetchRequest {
  /// Returns the core's description of the request.
  ///
  /// - Throws: `NSCoreDataError` (134060) for an invalid element of `propertiesToFetch` or
  ///   `propertiesToGroupBy`, for grouping of results other than dictionaries, and for an invalid sort
  ///   descriptor; `StoreError.invalidRequest` for a column that has no single value for a group.
  func description(
    of entity: EntityDefinition,
    in model: ModelDefinition
  ) throws -> FetchDescription {
    var description = FetchDescription(entity: entity.index)
    description.includesSubentities = includesSubentities
    description.condition = predicate?.condition
    description.order = try (sortDescriptors ?? []).map { try $0.checkedSortKey() }
    description.limit = min(max(0, fetchLimit), FetchWindow.most)
    description.offset = min(max(0, fetchOffset), FetchWindow.most)
    description.stores = affectedStores.map { Set($0.map(\.index)) }
    if resultType != .dictionaryResultType, propertiesToGroupBy != nil || havingPredicate != nil {
      throw invalid(
        "propertiesToGroupBy and havingPredicate require the resultType dictionaryResultType, but the "
          + "request's resultType is \(resultType.name). Set resultType, or set both properties to nil."
      )
    }
    switch resultType {
    case .managedObjectIDResultType: description.shape = .keys
    case .countResultType: description.shape = .count
    case .dictionaryResultType:
      description.shape = .dictionaries(try dictionaryShape(of: entity, in: model))
    default: description.shape = includesPropertyValues ? .rows : .keys
    }
    return description
  }

  private func dictionaryShape(
    of entity: EntityDefinition,
    in model: ModelDefinition
  ) throws -> DictionaryShape {
    var asked = propertiesToFetch ?? []
    if asked.isEmpty { asked = entity.storedSlots.map { entity.properties[$0].name } }
    var shape = DictionaryShape(columns: try asked.map { try column($0, entity, model) })
    shape.groupBy = try (propertiesToGroupBy ?? []).map { try column($0, entity, model).term }
    shape.having = havingPredicate?.condition
    shape.isDistinct = returnsDistinctResults && propertiesToFetch != nil
    for case .function(_, let arguments) in shape.columns.flatMap(\.term.functions) {
      for case .keyPath(let path) in arguments where model.leadsToMany(path, from: entity) {
        shape.toManys.insert(path)
      }
    }
    try shape.checkGrouping()
    return shape
  }

  /// Returns the request's settings that are not part of the description.
  ///
  /// - Throws: `NSCoreDataError` (134060) for a prefetching key path that is not a path of relationships.
  func options(of entity: EntityDefinition, in model: ModelDefinition) throws -> FetchOptions {
    var options = FetchOptions()
    options.includesUnsaved = includesPendingChanges
    options.realizes = !returnsObjectsAsFaults
    options.refreshes = shouldRefreshRefetchedObjects
    options.batchSize = min(max(0, fetchBatchSize), FetchWindow.most)
    for path in relationshipKeyPathsForPrefetching ?? [] {
      let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      try checkRelationships(keys, of: entity, in: model)
      options.paths.insert(keys)
    }
    return options
  }

  private func checkRelationships(
    _ keys: [String],
    of entity: EntityDefinition,
    in model: ModelDefinition
  ) throws {
    var current = entity
    for key in keys {
      // The relationship may be declared only in a subentity.
      let found = current.family.lazy
        .compactMap { model.entities[$0].property(named: key) }.first
      guard let relationship = found?.relationship else {
        throw invalid(
          "relationshipKeyPathsForPrefetching: “\(keys.joined(separator: "."))” is not a path of "
            + "relationships of the entity \(entity.name), because "
            + (key.isEmpty
              ? "it contains an empty key."
              : found == nil
                ? "\(current.name) has no property “\(key)”."
                : "“\(key)” of \(current.name) is not a relationship.")
        )
      }
      current = model.entities[relationship.destination]
    }
  }

  private func column(
    _ item: Any,
    _ entity: EntityDefinition,
    _ model: ModelDefinition
  ) throws -> DictionaryShape.Column {
    if let description = item as? NSExpressionDescription {
      guard let expression = description.expression else {
        throw invalid(
          "The expression description “\(description.name)” in propertiesToFetch or propertiesToGroupBy has "
            + "no expression. Set its expression."
        )
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
    guard let name = (item as? NSPropertyDescription)?.name ?? item as? String else {
      throw invalid(
        "The request for the entity \(entity.name) has a value of type \(type(of: item)) in "
          + "propertiesToFetch or propertiesToGroupBy. Use names or descriptions of properties, or "
          + "expression descriptions."
      )
    }
    guard let first = name.split(separator: ".").first.map(String.init) else {
      throw invalid(
        "The request for the entity \(entity.name) has an empty name in propertiesToFetch or "
          + "propertiesToGroupBy. Use the names of properties."
      )
    }
    guard let property = entity.property(named: first) else {
      if ["objectID", "self", "entity.name"].contains(name) {
        return .init(name: name, term: .keyPath(name))
      }
      let missing = MissingKey(name, in: entity, of: model)
      throw invalid(
        "keypath \(name) not found in entity \(entity.name)"
          + (missing.map { ": \($0.explanation)." }
            ?? ". Use the names of properties in propertiesToFetch and propertiesToGroupBy.")
      )
    }
    if property.isToMany && !name.contains("@") {
      throw invalid(
        "Invalid to-many relationship in setPropertiesToFetch: (\(name)). \(first) of \(entity.name) is a "
          + "to-many relationship, whose values cannot be a column of propertiesToFetch or "
          + "propertiesToGroupBy. Use an aggregate in propertiesToFetch, such as \(first).@count."
      )
    }
    return .init(name: name, term: .keyPath(name))
  }

  private func invalid(_ text: String) -> NSError {
    coreDataError(NSCoreDataError, text)
  }
}

extension Term {
  /// The functions in the term, including functions in the arguments of other functions.
  fileprivate var functions: [Term] {
    var functions: [Term] = []
    func add(_ node: TreeNode) {
      if case .term(let term) = node, case .function = term { functions.append(term) }
      node.forEachChild(add)
    }
    add(.term(self))
    return functions
  }
}
