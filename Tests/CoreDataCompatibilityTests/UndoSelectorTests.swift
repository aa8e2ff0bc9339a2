// SPDX-License-Identifier: Apache-2.0

import CoreDataCompatibility
import Testing

/// Undo actions that call a method through a selector.
@Suite struct UndoSelectorTests {
  private final class Page {
    var title = "" { didSet { former.append(oldValue) } }
    var former: [String] = []
    func setTitle(_ title: String) { self.title = title }
  }

  @Test("Undo calls the method with the object that was registered")
  func undo() {
    let manager = UndoManager()
    let page = Page()
    page.title = "first"
    let selector = Selector("setTitle:", Page.setTitle(_:))
    manager.registerUndo(withTarget: page, selector: selector, object: "first")
    page.title = "second"
    manager.undo()
    #expect(page.title == "first")
    #expect(!manager.canUndo)
  }

  @Test("The manager does not retain the target, and what it is asked to forget is not called")
  func targets() {
    let manager = UndoManager()
    let page = Page()
    let selector = Selector("setTitle:", Page.setTitle(_:))
    weak var gone: Page?
    do {
      let other = Page()
      gone = other
      manager.registerUndo(withTarget: other, selector: selector, object: "x")
    }
    #expect(gone == nil)
    manager.registerUndo(withTarget: page, selector: selector, object: "y")
    manager.removeAllActions(withTarget: page)
    manager.undo()
    #expect(page.title.isEmpty && page.former.isEmpty)
  }

  @Test("An argument of another type stops the program, which names both types")
  func wrongArgument() async throws {
    let result = try await #require(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let manager = UndoManager()
      let page = Page()
      let selector = Selector("setTitle:", Page.setTitle(_:))
      manager.registerUndo(withTarget: page, selector: selector, object: 3)
      manager.undo()
    }
    #expect(
      String(decoding: result.standardErrorContent, as: UTF8.self)
        .contains("“setTitle:” expects an argument of type String")
    )
  }
}
