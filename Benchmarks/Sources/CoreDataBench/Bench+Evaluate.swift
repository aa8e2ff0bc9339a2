// SPDX-License-Identifier: Apache-2.0

import CPlainSQLite
import CoreData

extension Bench {
  /// P2: a two-term predicate asked of N objects that are in memory.
  mutating func evaluate(_ format: String, asDictionaries: Bool = false) throws {
    let store = try sharedStore()
    let context = store.context()
    try context.performAndWait {
      let teams = try context.fetch(Team.fetchRequest() as NSFetchRequest<Team>)
      let predicate = NSPredicate(format: format)
      if asDictionaries {
        let rows = teams.map { team -> [String: Any] in
          ["wins": team.wins, "qualifyingZone": team.qualifyingZone ?? "", "founded": team.founded]
        }
        count(rows, predicate)
      } else {
        count(teams, predicate)
      }
    }
  }

  private mutating func count(_ rows: [some Any], _ predicate: NSPredicate) {
    for _ in 0..<options.repetitions {
      let found = measurement.time {
        var found = 0
        for row in rows where predicate.evaluate(with: row) { found += 1 }
        return found
      }
      measurement.check = "\(found)"
    }
  }

  /// P3's measure: the same texts by SQLite's own LIKE, every column of the matches read.
  ///
  /// LIKE compares ASCII letters alone, so it finds fewer rows than `CONTAINS[cd]`.
  mutating func plainLike() throws {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    let path = try template.ready(.none)
    let text = """
      SELECT Z_PK,Z_ENT,Z_OPT,ZWINS,ZFOUNDED,ZTEAMNAME,ZQUALIFYINGZONE,ZIMAGENAME FROM ZTEAM \
      WHERE ZTEAMNAME LIKE '%ab%'
      """
    guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY, nil) == SQLITE_OK,
      sqlite3_prepare_v2(handle, text, -1, &statement, nil) == SQLITE_OK
    else { throw BenchError.noModel }
    for _ in 0..<options.repetitions {
      let (found, keys) = measurement.time { Self.readAll(statement) }
      measurement.check = "\(found):\(keys)"
    }
  }

  private static func readAll(_ statement: OpaquePointer?) -> (found: Int, keys: Int64) {
    var found = 0
    var keys: Int64 = 0
    var sink = 0
    while sqlite3_step(statement) == SQLITE_ROW {
      found += 1
      keys += sqlite3_column_int64(statement, 0)
      sink &+= Int(sqlite3_column_int64(statement, 3)) &+ Int(sqlite3_column_double(statement, 4))
      for column in Int32(5)...7 {
        if let text = sqlite3_column_text(statement, column) { sink &+= strlen(text) }
      }
    }
    sqlite3_reset(statement)
    withExtendedLifetime(sink) {}
    return (found, keys)
  }
}

private func strlen(_ text: UnsafePointer<UInt8>) -> Int {
  var end = text
  while end.pointee != 0 { end += 1 }
  return end - text
}
