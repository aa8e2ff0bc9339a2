// SPDX-License-Identifier: Apache-2.0

import CoreData

/// What the tutorial's view controller does with one dog.
final class DogWalks {
  private let stack: CoreDataStack
  private let currentDog: Dog

  /// Finds the dog, or makes it.
  ///
  /// - Throws: what the fetch or the save gives.
  init(_ stack: CoreDataStack, dogName: String) throws {
    self.stack = stack
    let dogFetch: NSFetchRequest<Dog> = Dog.fetchRequest()
    dogFetch.predicate = NSPredicate(format: "%K == %@", "name", dogName)
    if let found = try stack.managedContext.fetch(dogFetch).first {
      currentDog = found
    } else {
      currentDog = Dog(context: stack.managedContext)
      currentDog.name = dogName
      try stack.saveContext()
    }
  }

  func show() {
    print("List of Walks of \(currentDog.name ?? "")")
    let formatter = ISO8601DateFormatter()
    for (row, walk) in (currentDog.walks?.array as? [Walk] ?? []).enumerated() {
      print("  \(row + 1) \(walk.date.map(formatter.string(from:)) ?? "at some time")")
    }
  }

  /// A new walk, the last of the dog's.
  func add(_ date: Date) throws {
    let walk = Walk(context: stack.managedContext)
    walk.date = date
    currentDog.addToWalks(walk)
    try stack.saveContext()
  }

  func delete(row: Int) throws {
    guard let walks = currentDog.walks, row >= 0, row < walks.count,
      let walkToRemove = walks[row] as? Walk
    else { return print("There is no walk \(row + 1).") }
    stack.managedContext.delete(walkToRemove)
    try stack.saveContext()
  }
}
