// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("The steps of a save")
struct SaveStepsTests {
  /// Writes a context's notifications and what its objects are asked into one list, in their order.
  private final class Steps: @unchecked Sendable {
    // Unchecked: posted and read on one thread.
    let hooks: Hooks
    private var tokens: [any NSObjectProtocol] = []

    init(_ web: WebStack) {
      hooks = web.hooks
      hooks.log = []
      for (name, step) in [
        (NSNotification.Name.NSManagedObjectContextWillSave, "post will save"),
        (.NSManagedObjectContextObjectsDidChange, "post changes"),
        (.NSManagedObjectContextDidSave, "post did save"),
        (.NSManagedObjectContextDidSaveObjectIDs, "post IDs"),
      ] {
        let token = NotificationCenter.default.addObserver(
          forName: name,
          object: web.context,
          queue: nil
        ) { [unowned self] _ in hooks.log.append(step) }
        tokens.append(token)
      }
    }

    deinit { for token in tokens { NotificationCenter.default.removeObserver(token) } }
  }

  @Test("Changes are reported before willSave; didSave and the notifications follow the write")
  func order() throws {
    let web = try WebStack()
    let node = try web.node("a")
    let steps = Steps(web)
    steps.hooks.reactions["willSave"] = { #expect($0.objectID.isTemporaryID) }
    steps.hooks.reactions["didSave"] = { #expect(!$0.objectID.isTemporaryID && !$0.hasChanges) }
    try web.save()
    #expect(
      steps.hooks.log == [
        "post will save", "post changes", "willSave", "didSave", "post did save", "post IDs",
      ]
    )
    #expect(!node.hasChanges)
  }

  @Test("A change in willSave is an event of its own, after which willSave is called again")
  func changeInWillSave() throws {
    let web = try WebStack()
    _ = try web.node("a")
    let steps = Steps(web)
    steps.hooks.reactions["willSave"] = { node in if node.rank < 9 { node.rank += 1 } }
    try web.save()
    #expect(
      steps.hooks.log == [
        "post will save", "post changes", "willSave", "post changes", "willSave", "post changes",
        "willSave", "didSave", "post did save", "post IDs",
      ]
    )
    #expect(try web.reread("a").rank == 9)
  }

  @Test("A save without changes posts its notifications and asks no object")
  func nothingToSave() throws {
    let web = try WebStack()
    let node = try web.node("a")
    try web.save()
    let steps = Steps(web)
    try web.save()
    #expect(steps.hooks.log == ["post will save", "post did save", "post IDs"])
    #expect(!node.hasChanges)
  }

  @Test("What a merge policy changes is reported before the save is")
  func resolution() throws {
    let web = try WebStack(NSSQLiteStoreType)
    let node = try web.node("a")
    try web.save()
    let other = web.stack.container.newBackgroundContext()
    let copy = try #require(try other.existingObject(with: node.objectID) as? Node)
    copy.rank = 20
    try other.save()
    web.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    node.name = "b"
    let steps = Steps(web)
    try web.save()
    #expect(
      steps.hooks.log == [
        "post will save", "post changes", "willSave",
        "awake \(NSSnapshotEventType.mergePolicy.rawValue)", "post changes", "didSave",
        "post did save", "post IDs",
      ]
    )
    #expect(node.rank == 20 && node.name == "b")
  }
}
