// SPDX-License-Identifier: Apache-2.0

/// The whole list, for a reader that starts or has missed something.
struct ListState: Sendable, Encodable {
  struct Section: Sendable, Encodable {
    var name: String
    var rows: [TeamRow]
  }

  var launch: String
  var sequence: Int
  /// What the list is narrowed to; empty for all teams.
  var search: String
  var sections: [Section]
}
