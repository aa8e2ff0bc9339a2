// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import CoreData
import Foundation

/// Faults that the simulation must find, planted in a recording or in the scenario, never in the library.
package enum PlantedBug: String, CaseIterable, Sendable {
  case photoNotSynchronized, photoFolderNotSynchronized, newFolderNotSynchronized
  case commitBeforePhotos, photoRemovedBeforeCommit, photoRemovedBeforeLogIsOnDisk
  case logNotSynchronized, databaseNotSynchronized, journalNotSynchronized,
    journalNameNotSynchronized
  case oldLogBesideRenamedFile
  case copyNotSynchronized, keysOutsideTransaction, historyAfterCommit

  /// The scenario and the settings that show the fault.
  package var place: (scenario: Scenario, promise: Promise) {
    switch self {
    case .photoNotSynchronized, .photoFolderNotSynchronized, .newFolderNotSynchronized,
      .commitBeforePhotos, .photoRemovedBeforeCommit:
      (.files, Promise(.wal, .full))
    case .photoRemovedBeforeLogIsOnDisk: (.files, Promise(.wal, .normal))
    case .logNotSynchronized: (.saves, Promise(.wal, .full))
    case .databaseNotSynchronized: (.large, Promise(.wal, .normal))
    case .journalNotSynchronized: (.saves, Promise(.delete, .full))
    case .journalNameNotSynchronized: (.saves, Promise(.delete, .extra))
    case .oldLogBesideRenamedFile: (.seed, Promise(.wal, .full))
    case .copyNotSynchronized: (.replacement, Promise(.wal, .full))
    case .keysOutsideTransaction: (.saves, Promise(.wal, .full))
    case .historyAfterCommit: (.mixed, Promise(.wal, .full))
    }
  }

  // MARK: In a recording

  /// Returns the recording as the library would have made it with this fault.
  package func planted(in recording: Recording) -> Recording {
    switch self {
    case .photoNotSynchronized:
      dropping(recording) { $1.contains("_EXTERNAL_DATA/") }
    case .photoFolderNotSynchronized:
      dropping(recording) { $1.hasSuffix("_EXTERNAL_DATA") }
    case .newFolderNotSynchronized: dropping(recording) { $1.hasSuffix("_SUPPORT") }
    case .logNotSynchronized: dropping(recording) { $1.hasSuffix("-wal") }
    case .databaseNotSynchronized: dropping(recording) { $1.hasSuffix(".sqlite") }
    case .journalNotSynchronized: dropping(recording) { $1.hasSuffix("-journal") }
    case .journalNameNotSynchronized: dropping(recording) { $1.isEmpty }
    case .copyNotSynchronized: dropping(recording) { $1.contains(".copy-") }
    case .photoRemovedBeforeLogIsOnDisk:
      dropping(recording) { number, path in
        path.hasSuffix("-wal")
          && recording.events.dropFirst(number + 1).prefix(2).contains {
            removesPhoto($0, recording)
          }
      }
    case .oldLogBesideRenamedFile:
      dropping(recording) { number, path in
        path.isEmpty && recording.events.dropFirst(number + 1).prefix(1).contains(where: renames)
      }
    case .commitBeforePhotos:
      moving(recording, toEnd: true) { event in
        let path = recording.paths[event.node] ?? ""
        return path.contains("_EXTERNAL_DATA") && !removesPhoto(event, recording)
      }
    case .photoRemovedBeforeCommit:
      moving(recording, toEnd: false) { removesPhoto($0, recording) }
    case .keysOutsideTransaction, .historyAfterCommit: recording
    }
  }

  private func renames(_ event: DiskEvent) -> Bool {
    if case .entries(let entries) = event { entries.count == 2 } else { false }
  }

  private func removesPhoto(_ event: DiskEvent, _ recording: Recording) -> Bool {
    guard case .entries(let entries) = event, entries.count == 1, entries[0].node == nil else {
      return false
    }
    return recording.paths[entries[0].folder]?.hasSuffix("_EXTERNAL_DATA") ?? false
  }

  /// Drops synchronizations; the rest of the recording and its steps stay.
  private func dropping(
    _ recording: Recording,
    _ isDropped: (_ number: Int, _ path: String) -> Bool
  ) -> Recording {
    var planted = recording
    for (number, event) in recording.events.enumerated() {
      guard case .sync(let node) = event, isDropped(number, recording.paths[node] ?? "?") else {
        continue
      }
      // An event without effect takes the place, so that the steps keep their numbers.
      planted.events[number] = .sync(node: -1)
    }
    return planted
  }

  /// Moves events of each step to its end or start; their order stays.
  private func moving(
    _ recording: Recording,
    toEnd: Bool,
    _ isMoved: (DiskEvent) -> Bool
  ) -> Recording {
    var planted = recording
    for step in recording.steps {
      let events = recording.events[step.start..<step.end]
      let (moved, rest) = (events.filter(isMoved), events.filter { !isMoved($0) })
      planted.events.replaceSubrange(
        step.start..<step.end,
        with: toEnd ? rest + moved : moved + rest
      )
    }
    return planted
  }

  // MARK: In a scenario

  /// Runs SQL on a connection of its own.
  static func run(_ text: String, _ url: URL) throws {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    guard sqlite3_open(url.path, &database) == SQLITE_OK,
      sqlite3_exec(database, text, nil, nil, nil) == SQLITE_OK
    else { throw CocoaError(.fileWriteUnknown) }
  }

  /// Lets a new store lose the rows that this fault writes later.
  func prepare(_ url: URL) throws {
    guard self == .historyAfterCommit else { return }
    try Self.run(
      """
      BEGIN IMMEDIATE;
      CREATE TABLE IF NOT EXISTS PLANTED AS SELECT * FROM ACHANGE WHERE 0;
      CREATE TRIGGER IF NOT EXISTS PLANTING AFTER INSERT ON ACHANGE
      WHEN NOT EXISTS (SELECT 1 FROM PLANTED WHERE Z_PK = NEW.Z_PK) BEGIN
      INSERT INTO PLANTED SELECT * FROM ACHANGE WHERE Z_PK = NEW.Z_PK;
      DELETE FROM ACHANGE WHERE Z_PK = NEW.Z_PK; END;
      COMMIT;
      """,
      url
    )
  }

  /// Saves with the fault.
  func save(_ shop: Shop) throws {
    if self == .keysOutsideTransaction {
      try shop.context.obtainPermanentIDs(for: Array(shop.context.insertedObjects))
    }
    try shop.context.save()
    guard self == .historyAfterCommit, let url = shop.coordinator.persistentStores.first?.url else {
      return
    }
    let missing = "Z_PK NOT IN (SELECT Z_PK FROM ACHANGE)"
    try Self.run("INSERT INTO ACHANGE SELECT * FROM PLANTED WHERE \(missing)", url)
  }
}
