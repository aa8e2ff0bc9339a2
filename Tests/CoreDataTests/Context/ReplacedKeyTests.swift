// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Temporary keys that permanent ones have replaced are forgotten once nothing needs them.
@Suite("Replaced keys")
struct ReplacedKeyTests {
  /// The keys that a child and its parent keep after so many saves of the child, each followed by one of the
  /// parent.
  private func keptKeys(_ saves: Int) throws -> [Int] {
    let stack = try LibraryStack(NSInMemoryStoreType)
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = stack.context
    for number in 0..<saves {
      for _ in 0..<10 {
        let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: child)
        book.setValue("\(number)", forKey: "title")
      }
      try child.save()
      try stack.context.save()
    }
    #expect(try child.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == saves * 10)
    return [child.replacedKeyCount, stack.context.replacedKeyCount]
  }

  @Test("The tables of a child and of its parent do not grow with the child's saves")
  func bounded() throws {
    for saves in [20, 40, 80] {
      let kept = try keptKeys(saves)
      #expect(kept.allSatisfy { $0 <= 100 }, "\(kept) keys after \(saves) saves")
    }
  }

  @Test("A temporary ID finds its object as long as the object is registered")
  func registered() throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = stack.context
    let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: child)
    let temporary = book.objectID
    for number in 0..<50 {
      for _ in 0..<10 {
        let other = NSEntityDescription.insertNewObject(forEntityName: "Book", into: child)
        other.setValue("\(number)", forKey: "title")
      }
      try child.save()
      try stack.context.save()
    }
    _ = try child.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book"))
    #expect(!book.objectID.isTemporaryID)
    #expect(child.object(with: temporary) === book)
  }
}
