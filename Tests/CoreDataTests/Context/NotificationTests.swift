// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Notifications of one context, in order: name, and how many objects under which key.
private final class Recorder: @unchecked Sendable {
  // Unchecked: used on one thread.
  private(set) var events: [String] = []
  private(set) var infos: [[AnyHashable: Any]] = []
  private var tokens: [any NSObjectProtocol] = []

  init(_ context: NSManagedObjectContext) {
    for name in [
      NSManagedObjectContext.didChangeObjectsNotification,
      NSManagedObjectContext.willSaveObjectsNotification,
      NSManagedObjectContext.didSaveObjectsNotification,
    ] {
      tokens.append(
        NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
          [unowned self] in record($0)
        }
      )
    }
  }

  deinit { tokens.forEach { NotificationCenter.default.removeObserver($0) } }

  private func record(_ notification: Notification) {
    let info = notification.userInfo ?? [:]
    let counts = info.compactMap { key, value in
      (value as? Set<NSManagedObject>).map { "\(key.base) \($0.count)" }
    }
    events.append(
      ([notification.name.rawValue] + counts.sorted()).joined(separator: " ")
        .replacingOccurrences(of: "NSManagedObjectContext", with: "")
    )
    infos.append(info)
  }
}

@Suite struct NotificationTests {
  @Test func aSaveTellsWhatChangedThenThatItWillSaveThenWhatItSaved() throws {
    let stack = try LibraryStack()
    let book = stack.make("Book", ["title": "Momo"])
    let gone = stack.make("Book", ["title": "Gone"])
    try stack.context.save()
    let recorder = Recorder(stack.context)
    book.setValue("Jim", forKey: "title")
    stack.context.delete(gone)
    _ = stack.make("Tag", ["name": "new"])
    stack.context.processPendingChanges()
    #expect(recorder.events.count == 1)
    #expect(
      recorder.events[0].contains("ObjectsDidChange")
        && recorder.events[0].hasSuffix("deleted 1 inserted 1 updated 1")
    )
    try stack.context.save()
    #expect(recorder.events.count == 3)
    #expect(recorder.events[1].contains("WillSave"))
    #expect(recorder.events[2].hasSuffix("deleted 1 inserted 1 updated 1"))
    #expect(recorder.infos[2][NSDeletedObjectsKey] as? Set<NSManagedObject> == [gone])
  }

  @Test func settersAreReportedOncePerEventAndFetchesNotAtAll() throws {
    let stack = try LibraryStack()
    let book = stack.make("Book")
    try stack.context.save()
    let recorder = Recorder(stack.context)
    for pages in 1...5 { book.setValue(pages, forKey: "pages") }
    _ = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Tag"))
    stack.context.processPendingChanges()
    #expect(recorder.events.count == 1)
    #expect(book.changedValues().keys.sorted() == ["pages"])
  }

  @Test func aNewObjectDeletedInTheSameEventIsNotReported() throws {
    let stack = try LibraryStack()
    let recorder = Recorder(stack.context)
    let book = stack.make("Book")
    stack.context.delete(book)
    stack.context.processPendingChanges()
    #expect(recorder.events.isEmpty)
    #expect(book.managedObjectContext == nil && !stack.context.hasChanges)
  }
}
