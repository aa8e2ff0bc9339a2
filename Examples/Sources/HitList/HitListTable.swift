// SPDX-License-Identifier: Apache-2.0

import CoreData

/// The table: a row for each person, kept by the results controller's calls.
final class HitListTable: NSFetchedResultsControllerDelegate {
  private let stack: CoreDataStack
  private let controller: NSFetchedResultsController<Person>
  /// What the screen shows.
  private var rows: [String] = []
  /// Set while the user drags a row: the screen shows the new order already, so what the controller
  /// tells of it must not be played again.
  private var changeIsUserDriven = false

  /// - Throws: what the fetch gives.
  init(_ stack: CoreDataStack) throws {
    self.stack = stack
    let fetchRequest: NSFetchRequest<Person> = Person.fetchRequest()
    fetchRequest.sortDescriptors = [NSSortDescriptor(key: "position", ascending: true)]
    controller = NSFetchedResultsController(
      fetchRequest: fetchRequest,
      managedObjectContext: stack.managedContext,
      sectionNameKeyPath: nil,
      cacheName: nil
    )
    controller.delegate = self
    try controller.performFetch()
    rows = people.map { $0.name ?? "" }
  }

  private var people: [Person] { controller.fetchedObjects ?? [] }

  func show() {
    print(rows.enumerated().map { "\($0 + 1) \($1)" }.joined(separator: "  "))
  }

  // MARK: Edits

  /// Adds a person, the tutorial's way.
  func save(name: String) throws {
    let last = people.last?.position ?? 0
    let person = Person(context: stack.managedContext)
    person.setValue(name, forKey: "name")
    person.position = last + 1
    try stack.saveContext()
  }

  func delete(row: Int) throws {
    guard people.indices.contains(row) else { return print("There is no row \(row + 1).") }
    stack.managedContext.delete(people[row])
    try stack.saveContext()
  }

  /// The user has dragged a row: first the screen changes, then the model follows.
  func userMoves(row: Int, to target: Int) throws {
    guard people.indices.contains(row), people.indices.contains(target) else {
      return print("There is no such row.")
    }
    rows.insert(rows.remove(at: row), at: target)
    changeIsUserDriven = true
    defer { changeIsUserDriven = false }
    var order = people
    order.insert(order.remove(at: row), at: target)
    for (index, person) in order.enumerated() where person.position != Int32(index + 1) {
      person.position = Int32(index + 1)
    }
    try stack.saveContext()
  }

  // MARK: NSFetchedResultsControllerDelegate

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange anObject: Any,
    at indexPath: IndexPath?,
    for type: NSFetchedResultsChangeType,
    newIndexPath: IndexPath?
  ) {
    if changeIsUserDriven { return }
    let name = (anObject as? Person)?.name ?? ""
    switch type {
    case .insert: if let newIndexPath { rows.insert(name, at: newIndexPath.row) }
    case .delete: if let indexPath { rows.remove(at: indexPath.row) }
    case .update: if let newIndexPath { rows[newIndexPath.row] = name }
    case .move:
      if let indexPath, let newIndexPath {
        rows.remove(at: indexPath.row)
        rows.insert(name, at: newIndexPath.row)
      }
    }
  }

  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  ) {
    precondition(rows == people.map { $0.name ?? "" }, "the screen shows what the model has")
  }
}
