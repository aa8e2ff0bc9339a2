// SPDX-License-Identifier: Apache-2.0

import CoreData

/// What other programs save to the same store comes into the list, as they save it.
///
/// The store tells of their commits; its history says what they changed.
// Unchecked: the token is used on the context's queue only.
final class OtherPrograms: @unchecked Sendable {
  private let coordinator: NSPersistentStoreCoordinator
  private let context: NSManagedObjectContext
  /// How far the history was read.
  private var token: NSPersistentHistoryToken?

  /// Others are heard of from here on.
  init(_ stack: CoreDataStack) {
    coordinator = stack.container.persistentStoreCoordinator
    context = stack.context
    token = coordinator.currentPersistentHistoryToken(fromStores: nil)
  }

  /// Merges what others save into the context, for as long as this program runs.
  func hear() throws {
    try context.performAndWait { try forgetOldHistory() }
    _ = NotificationCenter.default.addObserver(
      forName: .NSPersistentStoreRemoteChange,
      object: coordinator,
      queue: nil
    ) { [self] _ in
      context.perform { self.read() }
    }
    // What was saved before the observer was there.
    context.perform { self.read() }
  }

  private func read() {
    // What is saved while this runs is told once more.
    let place = coordinator.currentPersistentHistoryToken(fromStores: nil)
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)
    // Contexts of this program have merged its own saves already.
    request.fetchRequest = NSPersistentHistoryTransaction.fetchRequest
    request.fetchRequest?.predicate = NSPredicate(format: "author != %@", CoreDataStack.author)
    do {
      let result = try context.execute(request) as? NSPersistentHistoryResult
      for transaction in result?.result as? [NSPersistentHistoryTransaction] ?? [] {
        context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())
      }
      // After an error, the same is read again with the next commit.
      token = place
    } catch {
      FileHandle.standardError.write(Data("Other programs cannot be heard of: \(error)\n".utf8))
    }
  }

  /// Nobody asks for what is a week old; a history would grow for ever otherwise.
  private func forgetOldHistory() throws {
    let week: TimeInterval = 7 * 86_400
    _ = try context.execute(
      NSPersistentHistoryChangeRequest.deleteHistory(before: Date(timeIntervalSinceNow: -week))
    )
  }
}
