// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("Requests that a context or a coordinator executes")
struct ExecuteTests {
  final class Unknown: NSPersistentStoreRequest {}

  @Test("A request of a class without a way of its own is refused, naming the class (documented)")
  func unknown() throws {
    let stack = try LibraryStack()
    for execute in [
      { _ = try stack.context.execute(Unknown()) },
      {
        let coordinator = stack.container.persistentStoreCoordinator
        _ = try coordinator.execute(Unknown(), with: stack.context)
      },
    ] {
      let error = #expect(throws: NSError.self) { try execute() }
      #expect(error?.code == NSPersistentStoreUnsupportedRequestTypeError)
      #expect(error?.localizedFailureReason?.contains("Unknown") == true)
    }
  }

  @Test("A coordinator executes a fetch in a context and gives its array (documented)")
  func fetch() throws {
    let stack = try LibraryStack()
    let tag = stack.make("Tag", ["name": "new"])
    try stack.context.save()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
    #expect(request.requestType == .fetchRequestType)
    let coordinator = stack.container.persistentStoreCoordinator
    let found = try coordinator.execute(request, with: stack.context) as? [NSManagedObject]
    #expect(found?.map(\.objectID) == [tag.objectID])
  }

  @Test("A coordinator refuses the context of another one (chosen)")
  func otherCoordinator() throws {
    let stack = try LibraryStack()
    let other = try LibraryStack()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
    let error = #expect(throws: NSError.self) {
      try stack.container.persistentStoreCoordinator.execute(request, with: other.context)
    }
    #expect(error?.code == NSPersistentStoreOperationError)
  }
}
