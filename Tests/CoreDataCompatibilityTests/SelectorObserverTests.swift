// SPDX-License-Identifier: Apache-2.0

import CoreDataCompatibility
import Testing

/// Observers that a notification center calls through selectors, as sources for Apple's systems write them.
@Suite struct SelectorObserverTests {
  private let center = NotificationCenter()
  private let changed = Notification.Name("changed")
  private let saved = Notification.Name("saved")

  @Test("A method with a parameter gets the notification, one without is called too")
  func parameters() {
    let observer = Observer()
    let swift = Selector("note:", Observer.note(_:))
    center.addObserver(observer, selector: swift, name: changed, object: nil)
    let old = Selector("noteOld:", Observer.noteOld(_:))
    center.addObserver(observer, selector: old, name: changed, object: nil)
    let bare = Selector("noteNothing", Observer.noteNothing)
    center.addObserver(observer, selector: bare, name: changed, object: nil)
    center.post(name: changed, object: nil, userInfo: ["a": 1])
    center.post(name: saved, object: nil)
    #expect(observer.calls.sorted() == ["changed 1", "nothing", "old changed 1"])
  }

  @Test("A nil name observes every name, a sender only its own notifications")
  func filters() {
    let (observer, sender, other) = (Observer(), Observer(), Observer())
    let selector = Selector("note:", Observer.note(_:))
    center.addObserver(observer, selector: selector, name: nil, object: sender)
    center.post(name: changed, object: sender)
    center.post(name: saved, object: sender)
    center.post(name: saved, object: other)
    center.post(name: saved, object: nil)
    #expect(observer.calls == ["changed", "saved"])
  }

  @Test("Observing twice calls twice; removing ends what matches the name and the sender")
  func removing() {
    let (observer, sender) = (Observer(), Observer())
    let selector = Selector("note:", Observer.note(_:))
    for name in [changed, changed, saved] {
      center.addObserver(observer, selector: selector, name: name, object: nil)
    }
    center.addObserver(observer, selector: selector, name: saved, object: sender)
    center.post(name: changed, object: nil)
    #expect(observer.calls == ["changed", "changed"])
    center.removeObserver(observer, name: changed, object: nil)
    center.post(name: changed, object: nil)
    #expect(observer.calls.count == 2)
    center.removeObserver(observer, name: nil, object: sender)
    center.post(name: saved, object: sender)
    #expect(observer.calls.count == 3, "only the observation of every sender is left")
    NotificationCenter().removeObserver(observer)
    center.post(name: saved, object: nil)
    #expect(observer.calls.count == 4, "another center")
    center.removeObserver(observer)
    center.post(name: saved, object: nil)
    #expect(observer.calls.count == 4)
  }

  @Test("What addObserver(forName:…) returns is removed as before")
  func tokens() {
    let calls = Observer()
    let token = center.addObserver(forName: changed, object: nil, queue: nil) { calls.note($0) }
    center.post(name: changed, object: nil)
    center.removeObserver(token)
    center.post(name: changed, object: nil)
    #expect(calls.calls == ["changed"])
    let tokens = [center.addObserver(forName: saved, object: nil, queue: nil) { calls.note($0) }]
    tokens.forEach(center.removeObserver)
    center.post(name: saved, object: nil)
    #expect(calls.calls == ["changed"])
  }

  @Test("The center does not retain the observer, which need not be removed")
  func lifetime() {
    let name = Notification.Name("lifetime-\(UUID().uuidString)")
    let selector = Selector("note:", Observer.note(_:))
    weak var gone: Observer?
    do {
      let observer = Observer()
      gone = observer
      center.addObserver(observer, selector: selector, name: name, object: nil)
    }
    #expect(gone == nil)
    center.post(name: name, object: nil)
    // Observers at the same addresses as those that are gone are called for what they observe alone.
    for _ in 0..<1000 {
      let observer = Observer()
      center.addObserver(observer, selector: selector, name: name, object: nil)
      center.post(name: name, object: nil)
      #expect(observer.calls.count == 1)
    }
  }

  @Test("An observer may be removed in its deinit, and by what it does when it is called")
  func removingItself() {
    final class Leaving: @unchecked Sendable {
      // Unchecked: used on one thread.
      let center: NotificationCenter
      let count: Counter
      init(_ center: NotificationCenter, _ count: Counter) {
        self.center = center
        self.count = count
      }
      deinit { center.removeObserver(self) }
      func leave() {
        count.value += 1
        center.removeObserver(self)
      }
    }
    let count = Counter()
    do {
      let once = Leaving(center, count)
      let never = Leaving(center, count)
      let selector = Selector("leave", Leaving.leave)
      center.addObserver(once, selector: selector, name: changed, object: nil)
      center.addObserver(never, selector: selector, name: saved, object: nil)
      center.post(name: changed, object: nil)
      center.post(name: changed, object: nil)
    }
    center.post(name: saved, object: nil)
    #expect(count.value == 1)
  }

  @Test("A subclass's override is called, by a private name too")
  func overriding() {
    final class Louder: Observer, @unchecked Sendable {
      // Unchecked: used on one thread.
      override func note(_ notification: Notification) { calls.append("louder") }
    }
    let observer = Louder()
    let selector = Selector("note:", Observer.note(_:))
    center.addObserver(observer, selector: selector, name: changed, object: nil)
    center.post(name: changed, object: nil)
    #expect(observer.calls == ["louder"])
  }

  @MainActor
  @Test("A method of the main actor is called on the main thread")
  func mainActor() {
    let view = View()
    view.follow(center, changed)
    center.post(name: changed, object: nil)
    #expect(view.calls == 2)
  }

  @Test("A selector that is only a name stops the program, which says what to write")
  func bareName() async throws {
    let result = try await #require(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let observer = Observer()
      NotificationCenter.default.addObserver(observer, selector: "note:", name: nil, object: nil)
    }
    #expect(
      String(decoding: result.standardErrorContent, as: UTF8.self)
        .contains(
          "Create the selector with its method, such as Selector(\"note:\", Observer.note(_:))."
        )
    )
  }

  @Test("Many threads observe, post and remove at once")
  func threads() {
    let name = Notification.Name("threads-\(UUID().uuidString)")
    let missed = Counter()
    let lock = NSLock()
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<200 {
        let observer = Observer()
        let center = NotificationCenter()
        center.addObserver(
          observer,
          selector: Selector("note:", Observer.note(_:)),
          name: name,
          object: nil
        )
        center.post(name: name, object: nil)
        if Bool.random() { center.removeObserver(observer) }
        if observer.calls.count != 1 { lock.withLock { missed.value += 1 } }
      }
    }
    #expect(missed.value == 0)
  }

  @Test("A context's saves reach a stack that observes them")
  func saves() throws {
    let stack = try Stack()
    let other = stack.container.newBackgroundContext()
    try other.performAndWait {
      let item = NSEntityDescription.insertNewObject(forEntityName: "Item", into: other)
      item.setValue("a", forKey: "name")
      try other.save()
    }
    #expect(stack.inserted == 1)
  }
}

private class Observer: @unchecked Sendable {
  // Unchecked: each test uses an observer on one thread.
  var calls: [String] = []
  func note(_ notification: Notification) { calls.append(Self.text(notification)) }
  func noteOld(_ notification: NSNotification) {
    calls.append("old " + Self.text(notification as Notification))
  }
  func noteNothing() { calls.append("nothing") }
  private static func text(_ notification: Notification) -> String {
    notification.name.rawValue + ((notification.userInfo?["a"]).map { " \($0)" } ?? "")
  }
}

private final class Counter: @unchecked Sendable {
  // Unchecked: the tests that share a counter lock it.
  var value = 0
}

@MainActor private final class View {
  var calls = 0
  func follow(_ center: NotificationCenter, _ name: Notification.Name) {
    center.addObserver(
      self,
      selector: Selector("update:", View.update(_:)),
      name: name,
      object: nil
    )
    center.addObserver(self, selector: Selector("reload", View.reload), name: name, object: nil)
  }
  private func update(_ notification: Notification) { calls += 1 }
  private func reload() { calls += 1 }
}

/// A stack as people write it, with a selector in place of `#selector(contextDidSave(_:))`.
private final class Stack {
  let container: NSPersistentContainer
  private(set) var inserted = 0

  init() throws {
    container = NSPersistentContainer(name: "Items", managedObjectModel: Items.model())
    container.persistentStoreDescriptions = [NSPersistentStoreDescription()]
    var failure: (any Error)?
    container.loadPersistentStores { failure = $1 }
    if let failure { throw failure }
    NotificationCenter.default.addObserver(
      self,
      selector: Selector("contextDidSave:", Stack.contextDidSave(_:)),
      name: .NSManagedObjectContextDidSave,
      object: nil
    )
  }

  private func contextDidSave(_ notification: Notification) {
    guard let context = notification.object as? NSManagedObjectContext,
      context.persistentStoreCoordinator === container.persistentStoreCoordinator
    else { return }
    inserted += (notification.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.count ?? 0
  }
}
