// SPDX-License-Identifier: Apache-2.0

import CoreData

/// A fetch that is evaluated in memory, with the objects of a context that has only saved values: for stores that cannot
/// evaluate predicates themselves.
public struct EvaluatedFetch {
  private let store: NSPersistentStore
  private let candidates: [NSManagedObjectID]
  private let request: NSFetchRequest<NSFetchRequestResult>
  private let context: NSManagedObjectContext

  /// Creates a fetch from the objects of the request's entity, and of its subentities if the request includes
  /// them.
  public init(
    _ request: NSFetchRequest<NSFetchRequestResult>,
    among candidates: [NSManagedObjectID],
    of store: NSPersistentStore,
    for context: NSManagedObjectContext
  ) {
    self.store = store
    self.candidates = candidates
    self.request = request
    self.context = context
  }

  /// The names of the entities whose objects the request can return.
  public static func entityNames(of request: NSFetchRequest<NSFetchRequestResult>) -> Set<String> {
    guard let entity = request.entity else { return [] }
    return Set(request.includesSubentities ? family(entity) : [entity.name ?? ""])
  }

  private static func family(_ entity: NSEntityDescription) -> [String] {
    [entity.name ?? ""] + entity.subentities.flatMap(family)
  }

  /// Returns the results as `execute(_:with:)` of a store returns them.
  public func results() -> [Any] {
    let reader = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    reader.persistentStoreCoordinator = store.persistentStoreCoordinator
    return reader.performAndWait { results(in: reader) }
  }

  private func results(in reader: NSManagedObjectContext) -> [Any] {
    var objects = candidates.map(reader.object(with:))
    if let predicate = request.predicate { objects = objects.filter(predicate.evaluate(with:)) }
    objects = sorted(objects, by: request.sortDescriptors ?? [])
    switch request.resultType {
    case .countResultType: return [window(objects).count]
    case .managedObjectIDResultType: return window(objects).map(\.objectID)
    case .dictionaryResultType: return window(rows(objects))
    default: return window(objects).map { context.object(with: $0.objectID) }
    }
  }

  private func sorted<Element>(_ elements: [Element], by order: [NSSortDescriptor]) -> [Element] {
    if order.isEmpty { return elements }
    return elements.enumerated().sorted { left, right in
      for descriptor in order {
        let result = descriptor.compare(left.element, to: right.element)
        if result != .orderedSame { return result == .orderedAscending }
      }
      return left.offset < right.offset
    }.map(\.element)
  }

  private func window<Element>(_ elements: [Element]) -> [Element] {
    let rest = elements.dropFirst(request.fetchOffset)
    return Array(request.fetchLimit > 0 ? rest.prefix(request.fetchLimit) : rest)
  }

  // MARK: Dictionaries

  private func rows(_ objects: [NSManagedObject]) -> [NSDictionary] {
    let columns = request.propertiesToFetch ?? []
    let isAggregate = columns.contains { ($0 as? NSExpressionDescription).map(aggregates) ?? false }
    var groups = objects.map { [$0] }
    if let keys = request.propertiesToGroupBy {
      groups = grouped(objects, by: keys)
    } else if isAggregate {
      groups = [objects]
    }
    if let having = request.havingPredicate { groups = groups.filter(having.evaluate(with:)) }
    var rows = groups.map { group in
      var row: [String: Any] = [:]
      for column in columns { row[name(column)] = value(column, group) }
      return row as NSDictionary
    }
    if request.returnsDistinctResults {
      var seen: Set<NSDictionary> = []
      rows = rows.filter { seen.insert($0).inserted }
    }
    let names = columns.map(name)
    return sorted(
      rows,
      by: (request.sortDescriptors ?? []).filter { names.contains($0.key ?? "") }
    )
  }

  private func aggregates(_ column: NSExpressionDescription) -> Bool {
    column.expression?.expressionType == .function
  }

  private func grouped(_ objects: [NSManagedObject], by keys: [Any]) -> [[NSManagedObject]] {
    var order: [[AnyHashable?]] = []
    var groups: [[AnyHashable?]: [NSManagedObject]] = [:]
    for object in objects {
      let key = keys.map { value($0, [object]) as? AnyHashable }
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(object)
    }
    return order.compactMap { groups[$0] }
  }

  private func single(_ column: NSExpressionDescription, _ group: [NSManagedObject]) -> Any? {
    group.first.flatMap { column.expression?.expressionValue(with: $0, context: nil) }
  }

  /// The aggregate of a group, in which objects without a value take no part.
  private func aggregate(_ column: NSExpressionDescription, _ group: [NSManagedObject]) -> Any? {
    let path = column.expression?.arguments?.first?.keyPath ?? ""
    let known = group.filter { $0.value(forKeyPath: path) != nil }
    if known.isEmpty { return column.expression?.function == "count:" ? 0 : nil }
    return column.expression?.expressionValue(with: known, context: nil)
  }

  private func name(_ column: Any) -> String {
    (column as? NSPropertyDescription)?.name ?? column as? String ?? ""
  }

  private func value(_ column: Any, _ group: [NSManagedObject]) -> Any? {
    var value: Any?
    if let column = column as? NSExpressionDescription {
      value = aggregates(column) ? aggregate(column, group) : single(column, group)
    } else {
      value = group.first?.value(forKeyPath: name(column))
    }
    return (value as? NSManagedObject)?.objectID ?? value
  }
}
