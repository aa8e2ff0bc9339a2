// SPDX-License-Identifier: Apache-2.0

import CoreData

extension Garden {
  private func request(
    _ format: String,
    _ arguments: Any...
  ) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Plant")
    request.predicate = NSPredicate(format: format, argumentArray: arguments)
    request.sortDescriptors = [
      NSSortDescriptor(key: "name", ascending: true, selector: "localizedStandardCompare:"),
      NSSortDescriptor(key: "count", ascending: false),
    ]
    return request
  }

  /// Fetches by conditions of every sort, and prints the names.
  func ask() throws {
    let day = Date(timeIntervalSinceReferenceDate: 86_400)
    let requests: [(String, NSFetchRequest<NSManagedObject>)] = [
      ("folded", request("name CONTAINS[cd] %@", "apf")),
      ("pattern", request("name MATCHES %@", "[A-Z]a?k")),
      ("list", request("count IN %@", [1, 12])),
      ("dates", request("seen >= %@ AND bed.name == %@", day, "South")),
      ("many", request("SUBQUERY(bed.plants, $p, $p.height > 2).@count == 1")),
      ("price", request("price == %@", NSDecimalNumber(string: "12.31"))),
      ("block", request("TRUEPREDICATE")),
    ]
    requests.last?.1.predicate = NSPredicate { object, _ in
      ((object as? NSManagedObject)?.value(forKey: "name") as? String)?.count == 3
    }
    for (label, request) in requests {
      let names = try context.fetch(request).map { "\($0.value(forKey: "name") ?? "-")" }
      print(label, names.joined(separator: " "))
    }
    let plant = try context.fetch(request("count == 11"))[0]
    for key in ["height", "price", "seen", "page", "number"] {
      print(key, plant.value(forKey: key) ?? "nil")
    }
    let notes = plant.value(forKey: "notes") as? [String: Any]
    print("notes", notes?["list"] ?? "nil", notes?["price"] ?? "nil", notes?["set"] ?? "nil")
    print("photo", (plant.value(forKey: "photo") as? Data)?.count ?? -1)
    let groups = NSFetchRequest<NSDictionary>(entityName: "Plant")
    groups.resultType = .dictionaryResultType
    let total = NSExpressionDescription()
    total.name = "total"
    total.expression = NSExpression(format: "sum:(count)")
    groups.propertiesToFetch = ["bed.name", total]
    groups.propertiesToGroupBy = ["bed.name"]
    for group in try context.fetch(groups) {
      print("group", group["bed.name"] ?? "nil", group["total"] ?? "nil")
    }
  }

  /// Shows the plants in sections by bed, as a list on a page does.
  func list() throws {
    let request = request("TRUEPREDICATE")
    request.sortDescriptors?.insert(NSSortDescriptor(key: "bed.name", ascending: true), at: 0)
    let results = NSFetchedResultsController(
      fetchRequest: request,
      managedObjectContext: context,
      sectionNameKeyPath: "bed.name",
      cacheName: nil
    )
    try results.performFetch()
    for section in results.sections ?? [] {
      let names = (section.objects ?? []).map {
        "\(($0 as? NSManagedObject)?.value(forKey: "name") ?? "-")"
      }
      print("section", section.name, names.joined(separator: " "))
    }
  }

  /// Changes, deletes, and tells of it from the history; batches too.
  func change() throws {
    let plants = try context.fetch(request("name == %@", "rose"))
    plants[0].setValue("Rosa", forKey: "name")
    context.delete(plants[1])
    try context.save()
    let update = NSBatchUpdateRequest(entityName: "Plant")
    update.predicate = NSPredicate(format: "name == %@", "Oak")
    update.propertiesToUpdate = ["count": NSExpression(format: "count + 1")]
    update.resultType = .updatedObjectsCountResultType
    print("updated", (try context.execute(update) as? NSBatchUpdateResult)?.result ?? "none")
    let history = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
    history.resultType = .transactionsAndChanges
    let result = try context.execute(history) as? NSPersistentHistoryResult
    let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []
    print("history", transactions.map { $0.changes?.count ?? 0 })
    let token = transactions.last?.token
    let archive = try NSKeyedArchiver.archivedData(
      withRootObject: token ?? NSNull(),
      requiringSecureCoding: true
    )
    let read = try NSKeyedUnarchiver.unarchivedObject(
      ofClass: NSPersistentHistoryToken.self,
      from: archive
    )
    print("token", read == token)
  }

  /// Saves the store as another, and opens that.
  func copy(to other: URL) throws {
    let coordinator = container.persistentStoreCoordinator
    context.reset()
    try coordinator.migratePersistentStore(
      coordinator.persistentStores[0],
      to: other,
      options: nil,
      type: .sqlite
    )
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      type: .sqlite,
      at: other
    )
    let identifiers = metadata[NSStoreModelVersionIdentifiersKey] as? [Any] ?? []
    print("copy", identifiers.map { "\($0)" }.sorted(), metadata["mine"] ?? "none")
  }

  /// Errors: a second bed of one name, a missing store, another model.
  func refuse() throws {
    NSEntityDescription.insertNewObject(forEntityName: "Bed", into: context)
      .setValue("North", forKey: "name")
    do { try context.save() } catch { print("constraint", (error as NSError).code) }
    context.rollback()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model(strictly: true))
    do {
      _ = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType,
        configurationName: nil,
        at: url
      )
    } catch {
      print("model", (error as NSError).code, (error as NSError).localizedFailureReason ?? "")
    }
  }
}
