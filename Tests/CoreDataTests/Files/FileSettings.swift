// SPDX-License-Identifier: Apache-2.0

import FixtureStores

/// What a file says of itself beside its tables: settings that stay for its whole life.
struct FileSettings: Hashable {
  var values: [String: RawRows.Cell] = [:]

  init(_ path: String) throws {
    for name in ["page_size", "auto_vacuum", "encoding", "user_version", "application_id"] {
      values[name] = try RawRows.read(path) { try $0.rows("PRAGMA \(name)").first?.values.first }
    }
  }
}
