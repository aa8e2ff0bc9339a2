// SPDX-License-Identifier: Apache-2.0

/// Where the rows of `cases.tsv` are run: every row has a place unless it shows another library.
package struct CaseTargets: OptionSet, Hashable, Sendable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }
  /// Parsing and printing.
  package static let format = CaseTargets(rawValue: 1)
  /// Evaluation of values in memory.
  package static let memory = CaseTargets(rawValue: 2)
  /// A fetch from a SQLite store.
  package static let store = CaseTargets(rawValue: 4)
}

extension SharedCase {
  /// Where the row is run; empty for the rows that show where Realm differs.
  package var targets: CaseTargets {
    switch (self["engine"], self["kind"]) {
    case ("realm-only", _), ("rql-only", _): []
    case ("parse", _): .format
    case ("memory", _): .memory
    case ("both", _): [.memory, .store]
    case ("sqlite", _): .store
    default: []
    }
  }
}
