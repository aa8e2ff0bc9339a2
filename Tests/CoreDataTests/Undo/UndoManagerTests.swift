// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// A number that can be set, and set back.
private final class Counter {
  var value = 0
  func set(_ value: Int, _ manager: UndoManager) {
    let old = self.value
    manager.registerUndo(withTarget: self) { $0.set(old, manager) }
    self.value = value
  }
}

@Suite("UndoManager, as Foundation documents it")
struct UndoManagerTests {
  private let manager = UndoManager()
  private let counter = Counter()

  private func inGroup(_ body: () -> Void) {
    manager.beginUndoGrouping()
    body()
    manager.endUndoGrouping()
  }

  @Test func aGroupIsUndoneAndRedoneAsOne() {
    #expect(!manager.canUndo && !manager.canRedo && manager.groupsByEvent)
    inGroup {
      counter.set(1, manager)
      counter.set(2, manager)
    }
    inGroup { counter.set(3, manager) }
    manager.undo()
    #expect(counter.value == 2 && manager.canRedo)
    manager.undo()
    #expect(counter.value == 0 && !manager.canUndo)
    manager.undo()
    manager.redo()
    #expect(counter.value == 2)
    manager.redo()
    #expect(counter.value == 3 && !manager.canRedo)
    manager.redo()
    manager.undo()
    #expect(counter.value == 2)
  }

  @Test func aNewActionForgetsWhatCouldBeRedone() {
    inGroup { counter.set(1, manager) }
    manager.undo()
    inGroup { counter.set(5, manager) }
    #expect(!manager.canRedo)
    manager.redo()
    #expect(counter.value == 5)
  }

  @Test func withoutAnOpenGroupRegisteringOpensTheEventsGroupWhichUndoEnds() {
    counter.set(1, manager)
    counter.set(2, manager)
    #expect(manager.groupingLevel == 1 && manager.canUndo)
    manager.undo()
    #expect(counter.value == 0 && manager.groupingLevel == 0)
  }

  @Test func nestedGroupsAreOneGroupAndCanBeUndoneAlone() {
    manager.beginUndoGrouping()
    counter.set(1, manager)
    inGroup { counter.set(2, manager) }
    #expect(manager.groupingLevel == 1)
    manager.undoNestedGroup()
    #expect(counter.value == 1 && manager.groupingLevel == 1)
    inGroup { counter.set(7, manager) }
    manager.endUndoGrouping()
    manager.undo()
    #expect(counter.value == 0)
    manager.redo()
    #expect(counter.value == 7)
  }

  @Test func theEventsGroupCanBeEndedAfterANestedGroupWasUndone() {
    counter.set(1, manager)
    inGroup { counter.set(2, manager) }
    manager.undoNestedGroup()
    #expect(counter.value == 1 && manager.groupingLevel == 1)
    manager.undo()
    #expect(counter.value == 0 && manager.groupingLevel == 0)
  }

  @Test func aRedoLeavesTheOpenGroupOpen() {
    inGroup { counter.set(1, manager) }
    manager.undo()
    manager.beginUndoGrouping()
    manager.redo()
    #expect(counter.value == 1 && manager.groupingLevel == 1)
    manager.endUndoGrouping()
    manager.undo()
    #expect(counter.value == 0)
  }

  @Test func levelsAreTheLastGroups() {
    manager.levelsOfUndo = 2
    for value in 1...4 { inGroup { counter.set(value, manager) } }
    while manager.canUndo { manager.undo() }
    #expect(counter.value == 2)
    manager.levelsOfUndo = 1
    while manager.canRedo { manager.redo() }
    #expect(counter.value == 4 || counter.value == 3)
  }

  @Test func disabledRegistrationRecordsNothingAndCounts() {
    manager.disableUndoRegistration()
    manager.disableUndoRegistration()
    manager.enableUndoRegistration()
    #expect(!manager.isUndoRegistrationEnabled)
    inGroup { counter.set(1, manager) }
    #expect(!manager.canUndo)
    manager.enableUndoRegistration()
    inGroup { counter.set(2, manager) }
    manager.undo()
    #expect(counter.value == 1)
  }

  @Test func namesGoWithTheirGroups() {
    inGroup {
      counter.set(1, manager)
      manager.setActionName("Count")
    }
    #expect(manager.undoActionName == "Count" && manager.undoMenuItemTitle == "Undo Count")
    #expect(manager.redoActionName.isEmpty && manager.redoMenuItemTitle == "Redo")
    manager.undo()
    #expect(manager.undoMenuItemTitle == "Undo" && manager.redoMenuItemTitle == "Redo Count")
    manager.redo()
    #expect(manager.undoActionName == "Count")
  }

  @Test func targetsAreNotKeptAliveAndCanBeForgotten() {
    let other = Counter()
    weak var gone: Counter?
    do {
      let short = Counter()
      gone = short
      inGroup { short.set(1, manager) }
    }
    #expect(gone == nil)
    inGroup {
      counter.set(1, manager)
      other.set(1, manager)
    }
    inGroup { other.set(2, manager) }
    manager.removeAllActions(withTarget: other)
    manager.undo()
    #expect(counter.value == 0 && other.value == 2)
    inGroup { counter.set(1, manager) }
    manager.removeAllActions()
    #expect(!manager.canUndo && !manager.canRedo)
  }

  @Test func anUndoInsideAnUndoStopsTheProgram() async throws {
    let result = try await #require(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let manager = UndoManager()
      manager.registerUndo(withTarget: manager) { $0.undo() }
      manager.undo()
    }
    #expect(
      String(decoding: result.standardErrorContent, as: UTF8.self)
        .contains("undo was called while undoing or redoing")
    )
  }

  @Test func notificationsComeInOrderAndStatesAreTrueMeanwhile() {
    final class Log: @unchecked Sendable {
      // Unchecked: posted and read on one thread.
      var names: [String] = []
    }
    let log = Log()
    let names: [NSNotification.Name] = [
      .NSUndoManagerDidOpenUndoGroup, .NSUndoManagerWillCloseUndoGroup,
      .NSUndoManagerDidCloseUndoGroup, .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange,
      .NSUndoManagerWillRedoChange, .NSUndoManagerDidRedoChange,
    ]
    let tokens = names.map { name in
      NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) {
        log.names.append(
          $0.name.rawValue.replacingOccurrences(of: "NSUndoManager", with: "")
            .replacingOccurrences(of: "Notification", with: "")
        )
      }
    }
    inGroup {
      manager.registerUndo(withTarget: counter) { [manager] counter in
        counter.value = manager.isUndoing && !manager.isRedoing ? 1 : -1
        manager.registerUndo(withTarget: counter) { counter in
          counter.value = manager.isRedoing && !manager.isUndoing ? 2 : -2
        }
      }
    }
    manager.undo()
    #expect(counter.value == 1)
    manager.redo()
    #expect(counter.value == 2)
    tokens.forEach(NotificationCenter.default.removeObserver)
    #expect(
      log.names == [
        "DidOpenUndoGroup", "WillCloseUndoGroup", "DidCloseUndoGroup", "WillUndoChange",
        "DidOpenUndoGroup", "WillCloseUndoGroup", "DidCloseUndoGroup", "DidUndoChange",
        "WillRedoChange", "DidOpenUndoGroup", "WillCloseUndoGroup", "DidCloseUndoGroup",
        "DidRedoChange",
      ]
    )
  }
}
