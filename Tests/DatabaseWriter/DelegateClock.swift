// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation

/// Measures how long a change that one process saves needs to the delegate of a results controller in another.
///
/// The value of a counter is the time at which its save begins, by a clock that the processes share. The other
/// process is a copy of this program, which saves when it reads a line, so that each change is measured alone.
final class DelegateClock: NSObject, NSFetchedResultsControllerDelegate, @unchecked Sendable {
  // Unchecked: the token and the times are used on the context's queue only.
  private let container: NSPersistentContainer
  private let context: NSManagedObjectContext
  private let seen = DispatchSemaphore(value: 0)
  private var token: NSPersistentHistoryToken?
  private var times: [Int64] = []

  init(_ url: String) throws {
    container = try DatabaseModel.container(url, isLive: true)
    context = container.newBackgroundContext()
  }

  /// Measures `count` changes, and prints the median, the 95th percentile and the longest time.
  func run(_ url: String, _ count: Int) throws {
    let counter = try context.performAndWait {
      let counter = NSEntityDescription.insertNewObject(forEntityName: "Counter", into: context)
      counter.setValue(UUID().uuidString, forKey: "name")
      counter.setValue(0, forKey: "value")
      try context.save()
      return counter
    }
    let name = context.performAndWait { counter.value(forKey: "name") as? String ?? "" }
    let results = try context.performAndWait {
      token = container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Counter")
      request.predicate = NSPredicate(format: "name == %@", name)
      request.sortDescriptors = [NSSortDescriptor(key: "value", ascending: true)]
      let results = NSFetchedResultsController(
        fetchRequest: request,
        managedObjectContext: context,
        sectionNameKeyPath: nil,
        cacheName: nil
      )
      results.delegate = self
      try results.performFetch()
      return results
    }
    let observer = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreRemoteChange,
      object: container.persistentStoreCoordinator,
      queue: nil
    ) { [weak self] _ in self?.merge() }
    defer { NotificationCenter.default.removeObserver(observer) }
    let writer = try WriterProcess(["change", url, name])
    // The first changes tell that the store listens, and warm up both processes.
    for _ in 0..<20 {
      repeat { try writer.send() } while seen.wait(timeout: .now() + 1) == .timedOut
    }
    while seen.wait(timeout: .now() + 0.5) == .success {}
    context.performAndWait { times = [] }
    for _ in 0..<count {
      try writer.send()
      if seen.wait(timeout: .now() + 30) == .timedOut {
        throw WriterError(text: "a change did not reach the delegate within 30 seconds")
      }
    }
    try writer.end()
    let sorted = context.performAndWait { times.sorted() }
    withExtendedLifetime(results) {}
    guard sorted.count == count else {
      throw WriterError(text: "the delegate was called \(sorted.count) times instead of \(count)")
    }
    func text(_ time: Int64) -> String {
      String(format: "%.1f ms", Double(time) / 1_000_000)
    }
    print(
      "From the beginning of a save to the delegate in another process, \(count) changes: median "
        + "\(text(sorted[count / 2])), 95 % \(text(sorted[count * 95 / 100])), max \(text(sorted[count - 1]))"
    )
  }

  private func merge() {
    context.perform { [self] in
      do {
        let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
        let result = try context.execute(request) as? NSPersistentHistoryResult
        for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] {
          context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
          token = transaction.token
        }
      } catch {
        FileHandle.standardError.write(Data("the history cannot be read: \(error)\n".utf8))
      }
    }
  }

  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange object: Any,
    at indexPath: IndexPath?,
    for type: NSFetchedResultsChangeType,
    newIndexPath: IndexPath?
  ) {
    let now = Record.now()
    guard let begin = (object as? NSManagedObject)?.value(forKey: "value") as? Int64 else { return }
    times.append(now - begin)
    seen.signal()
  }

  /// Saves a change to a counter for each line of the standard input.
  static func change(_ name: String, _ context: NSManagedObjectContext) throws {
    let counter = try context.performAndWait {
      try context.objects("Counter", "name", [name])[0]
    }
    while readLine() != nil {
      try context.performAndWait {
        counter.setValue(Record.now(), forKey: "value")
        try context.save()
      }
    }
  }
}

/// A copy of this program that waits for lines.
private final class WriterProcess {
  private let process = Process()
  private let input = Pipe()

  init(_ arguments: [String]) throws {
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = arguments
    process.standardInput = input
    try process.run()
  }

  func send() throws { try input.fileHandleForWriting.write(contentsOf: Data("\n".utf8)) }

  func end() throws {
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw WriterError(text: "the writing process failed") }
  }
}
