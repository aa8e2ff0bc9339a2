// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Saves that fail at a random write: nothing is different afterwards, and the next save is complete.
@Suite struct FailedSaveLawTests {
  private static let writes = ["INSERT", "UPDATE", "DELETE"]
  private static let tables = ["ZAUTHOR", "ZBOOK", "ZTAG", "ZCHAPTER", "ZCOVER"]

  @Test(
    "A save that fails leaves objects and file as they were",
    arguments: 1...6 as ClosedRange<UInt64>
  )
  func failures(_ seed: UInt64) throws {
    var random = RandomSteps(state: seed)
    let stack = try LibraryStack()
    let context = stack.context
    let edits = LibraryEdits(context: context)
    for _ in 0..<40 { try edits.edit(&random, deleting: false) }
    try context.save()
    let file = SQLFile(
      url: try #require(context.persistentStoreCoordinator?.persistentStores.first?.url)
    )
    var failures = 0
    for round in 0..<25 {
      for _ in 0..<random.below(8) + 2 { try edits.edit(&random) }
      context.processPendingChanges()
      let write = Self.writes[random.below(3)]
      let table = Self.tables[random.below(5)]
      // The n-th write of this kind fails, and only that.
      try file.run(
        """
        CREATE TABLE IF NOT EXISTS COUNTED (N INTEGER);
        DELETE FROM COUNTED;
        CREATE TRIGGER STOP BEFORE \(write) ON \(table) BEGIN
          INSERT INTO COUNTED VALUES (1);
          SELECT RAISE(ABORT, 'stopped')
            WHERE (SELECT COUNT(*) FROM COUNTED) > \(random.below(3));
        END;
        """
      )
      let before = try edits.picture()
      let unsaved = [context.insertedObjects, context.updatedObjects, context.deletedObjects]
      let ids = Set(context.registeredObjects.map(\.objectID))
      let stored = try LibraryEdits(context: stack.container.newBackgroundContext()).picture()
      do {
        try context.save()
        try file.run("DROP TRIGGER STOP")
        continue
      } catch {
        failures += 1
      }
      #expect(try edits.picture() == before, "round \(round)")
      #expect(
        [context.insertedObjects, context.updatedObjects, context.deletedObjects] == unsaved,
        "round \(round)"
      )
      #expect(Set(context.registeredObjects.map(\.objectID)) == ids, "round \(round)")
      let fresh = LibraryEdits(context: stack.container.newBackgroundContext())
      #expect(try fresh.picture() == stored, "round \(round)")
      try file.run("DROP TRIGGER STOP")
      if random.below(3) == 0 {
        context.rollback()
        #expect(try edits.picture() == stored, "round \(round)")
      } else {
        try context.save()
        let again = LibraryEdits(context: stack.container.newBackgroundContext())
        #expect(try again.picture() == before, "round \(round)")
      }
    }
    #expect(failures > 0)
  }
}
