// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataPort

/// Statements that observe notifications or register undo actions with a selector.
struct SelectorStatementTests {
  private static let text = """
    import CoreData

    class Stack {
      init() {
        NotificationCenter.default.addObserver(
          self, selector: #selector(contextDidSave(_:)), // each save
          name: .NSManagedObjectContextDidSave, object: nil)
        center?.addObserver(self, selector: #selector(reload), name: nil, object: nil) // all
      }
      @objc private func contextDidSave(_ notification: Notification) {}
      @objc func reload() {}
    }

    """
  private static let ported = """
    import CoreData
    #if !canImport(ObjectiveC)
    import CoreDataCompatibility
    #endif

    class Stack {
      init() {
        #if canImport(ObjectiveC)
        NotificationCenter.default.addObserver(
          self, selector: #selector(contextDidSave(_:)), // each save
          name: .NSManagedObjectContextDidSave, object: nil)
        #else
        NotificationCenter.default.addObserver(
          self, selector: Selector("contextDidSave:", Stack.contextDidSave(_:)), // each save
          name: .NSManagedObjectContextDidSave, object: nil)
        #endif
        #if canImport(ObjectiveC)
        center?.addObserver(self, selector: #selector(reload), name: nil, object: nil) // all
        #else
        center?.addObserver(self, selector: Selector("reload", Stack.reload), name: nil, object: nil)
        #endif
      }
      #if canImport(ObjectiveC)
      @objc
      #endif
      private func contextDidSave(_ notification: Notification) {}
      #if canImport(ObjectiveC)
      @objc
      #endif
      func reload() {}
    }

    """

  @Test func statementsAreWrittenOnceMoreForLinux() throws {
    #expect(try Porting.text(Self.text) == Self.ported)
    #expect(try Porting.left(Self.text).isEmpty)
  }

  @Test func undoActionsAreWrittenOnceMoreToo() throws {
    let call = "undoManager?.registerUndo(withTarget: self, selector: "
    let rest = ", object: title)"
    let text =
      "import CoreData\nclass Page { func a() {\n\(call)#selector(setTitle(_:))\(rest)\n} }"
    let ported = """
      #if canImport(ObjectiveC)
      \(call)#selector(setTitle(_:))\(rest)
      #else
      \(call)Selector("setTitle:", Page.setTitle(_:))\(rest)
      #endif
      """
    #expect(try Porting.text(text).contains(ported))
    let other = "undo.registerUndo(withTarget: b, selector: #selector(getter: c), object: d)"
    let left = try Porting.left(other)
    #expect(
      left == ["1:44 #selector(getter:c): write registerUndo(withTarget:handler:) with a closure"]
    )
  }

  @Test func aSecondRunChangesNothing() throws {
    #expect(try Porting.text(Self.ported) == Self.ported)
  }

  @Test(arguments: [
    ("changed(_:)", "\"changed:\", Stack.Inner.changed(_:)"),
    ("changed", "\"changed:\", Stack.Inner.changed"),
    ("self.changed(_:)", "\"changed:\", Stack.Inner.changed(_:)"),
    ("Self.changed", "\"changed:\", Stack.Inner.changed"),
    ("Other.changed(note:)", "\"changedWithNote:\", Other.changed(note:)"),
    ("unknown", "\"unknown\", Stack.Inner.unknown"),
    ("unknown()", "\"unknown\", Stack.Inner.unknown"),
  ])
  func selectorsNameAMethodOfAType(selector: String, expected: String) throws {
    let text = """
      import CoreData
      extension Stack { class Inner {
        func a() {
          center.addObserver(self, selector: #selector(\(selector)), name: n, object: nil)
        }
        func changed(_ n: Notification) {}
      } }
      """
    #expect(try Porting.text(text).contains("selector: Selector(\(expected)), name"))
  }

  @Test(arguments: [
    ("a.addObserver(b, selector: #selector(getter: c), name: n, object: nil)", Self.closure),
    ("a.addObserver(b, selector: #selector(c(_:d:)), name: n, object: nil)", Self.closure),
    ("addObserver(b, selector: #selector(c), name: n, object: nil)", Self.closure),
    ("if d { a.addObserver(b, selector: #selector(c), name: n, object: nil) }", Self.line),
    ("a.addObserver(b, selector: #selector(c), name: n, object: nil); d()", Self.line),
    ("a.addObserver(b, selector: #selector(c), name: #keyPath(d), object: nil)", Self.line),
  ])
  func otherFormsAreLeft(statement: String, advice: String) throws {
    let text = "import CoreData\nclass A { func e() {\n\(statement)\n} }"
    let left = try Porting.left(text)
    #expect(left.contains { $0.hasSuffix(advice) }, "\(left)")
    #expect(try !Porting.text(text).contains("CoreDataCompatibility"))
  }
  private static let closure = "write addObserver(forName:object:queue:using:) with a closure"
  private static let line = "write the call on a line of its own, and port again"

  @Test func aFileWithoutAnImportIsLeft() throws {
    let text = """
      #if DEBUG
      import CoreData
      #endif
      class A { func e() {
      a.addObserver(self, selector: #selector(c), name: n, object: nil)
      } }
      """
    #expect(try Porting.text(text) == text)
    #expect(
      try Porting.left(text) == [
        "5:31 #selector(c): add import CoreData to the file, and port again"
      ]
    )
  }
}
