// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataSQLite

/// Saves that fail at each statement and at each row in turn: nothing is different afterwards, in the
/// context and in the file, and the save that succeeds in the end is complete.
@Suite struct FailedSaveLawTests {
  /// Fails the n-th statement that starts.
  private final class Stopper: @unchecked Sendable {
    // Unchecked: the store calls on the thread that saves.
    private var left: Int
    private(set) var text: String?
    init(_ number: Int) { left = number }

    func started(_ statement: String) throws {
      left -= 1
      if left != -1 { return }
      text = statement
      throw CocoaError(.fileWriteOutOfSpace)
    }
  }

  /// Triggers that fail the n-th row that is written, whatever the table; `STOPPING` says which.
  private static func addTriggers(_ file: SQLFile) throws {
    let own = "CREATE TABLE STOPPING (N INTEGER); CREATE TABLE COUNTED (N INTEGER);"
    let tables = try file.texts(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z%'"
    )
    let triggers = tables.flatMap { table in
      ["INSERT", "UPDATE", "DELETE"].map { write in
        """
        CREATE TRIGGER STOP_\(table)_\(write) BEFORE \(write) ON \(table) BEGIN
          INSERT INTO COUNTED VALUES (1);
          SELECT RAISE(ABORT, 'stopped')
            WHERE (SELECT COUNT(*) FROM COUNTED) > (SELECT N FROM STOPPING);
        END;
        """
      }
    }
    try file.run(own + triggers.joined())
  }

  /// Fails the next save at the row of that number; none where it is nil.
  private static func stop(_ file: SQLFile, atRow number: Int?) throws {
    let stopping = number.map { "INSERT INTO STOPPING VALUES (\($0));" } ?? ""
    try file.run("DELETE FROM COUNTED; DELETE FROM STOPPING; \(stopping)")
  }

  @Test(
    "A save that fails leaves objects and file as they were, wherever it fails",
    arguments: RandomWorld.allCases,
    lawSeeds(3)
  )
  func failures(_ world: RandomWorld, _ seed: UInt64) throws {
    var random = RandomSteps(state: seed)
    let stack = try LibraryStack(model: world.model())
    let context = stack.context
    if seed % 2 == 0 { context.undoManager = UndoManager() }
    let edits = world.edits(context)
    for _ in 0..<30 { try edits.edit(&random, prefix: "n", deleting: false) }
    try context.save()
    let store = try stack.store
    let file = SQLFile(url: try #require(store.url))
    try Self.addTriggers(file)
    try Self.stop(file, atRow: nil)
    var stopped: Set<String> = []
    for round in 0..<6 {
      for _ in 0..<random.below(8) + 2 { try edits.edit(&random) }
      context.processPendingChanges()
      let before = try ContextState(edits)
      let content = try file.content(without: ["STOPPING", "COUNTED"])
      func checkNothingChanged(_ place: String) throws {
        let after = try ContextState(edits)
        if after != before {
          Issue.record("\(place), round \(round): \(after.differences(before))")
        }
        let now = try file.content(without: ["STOPPING", "COUNTED"])
        try #require(after == before && now == content, "\(place), round \(round)")
        try stack.requireLiveLinks("\(place), round \(round)")
      }
      // First every statement up to the commit, then every row until a save succeeds.
      for number in 0... {
        let stopper = Stopper(number)
        store.statements.setOnStart(stopper.started)
        var failure: NSError?
        do { try context.save() } catch { failure = error as NSError }
        store.statements.setOnStart(nil)
        guard let text = stopper.text else {
          // The edits of a round may cancel each other, so that there is nothing to write.
          try #require(number == 0 && failure == nil, "the save came to its end")
          break
        }
        #expect(failure != nil, "statement \(number), \(text)")
        stopped.insert(text)
        try checkNothingChanged("statement \(number), \(text)")
        if text == "COMMIT" { break }
      }
      for number in 0... {
        try Self.stop(file, atRow: number)
        do {
          try context.save()
          break
        } catch {
          try Self.stop(file, atRow: nil)
          try checkNothingChanged("row \(number)")
        }
      }
      try Self.stop(file, atRow: nil)
      try requireSame(world.stored(stack), edits.picture(), "round \(round)")
      try stack.requireLiveLinks("round \(round)")
    }
    #expect(stopped.contains("BEGIN IMMEDIATE") && stopped.contains("COMMIT"))
    // Six rounds of a few edits need not delete anything.
    let verbs = ["INSERT", "UPDATE", "DELETE"].filter { verb in
      stopped.contains { $0.hasPrefix(verb) }
    }
    #expect(verbs.count >= 2, "\(stopped.sorted())")
  }
}
