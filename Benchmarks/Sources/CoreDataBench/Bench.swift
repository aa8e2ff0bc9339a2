// SPDX-License-Identifier: Apache-2.0

import CoreData

/// One workload at one size.
struct Bench {
  let options: Options
  let template: Template
  var measurement = Measurement()

  init(_ options: Options) {
    self.options = options
    template = Template(options: options)
  }

  var count: Int { options.count }
  var work: String {
    "\(options.folder)/work-\(options.impl)-\(ProcessInfo.processInfo.processIdentifier).sqlite"
  }

  /// False where there is no such workload.
  mutating func run() throws -> Bool {
    defer { removeWork() }
    switch options.workload {
    case Template.workload: try template.make(.none)
    case Template.workload + ModelIndex.order.rawValue: try template.make(.order)
    case Template.workload + WideRows.suffix: try template.makeWide()
    case "W1_insert": try insert()
    case "W1_insert_idx": try insert(index: .name)
    case "W1_insert_full": try insert(isFull: true)
    case "W1_commits_1000": try commit()
    case "W1_commits_1000_full": try commit(isFull: true)
    case "W2_fetch_all": try fetchAll()
    case "W3_fetch_sorted": try fetchAll(isSorted: true)
    case "W3_fetch_sorted_idx": try fetchAll(isSorted: true, index: .order)
    case "W4_contains_cd": try fetchMatching("wins > 50 AND teamName CONTAINS[cd] 'ab'")
    case "W4_like": try fetchMatching("wins > 50 AND teamName LIKE[c] '*ab*'")
    case "W5_count": try countMatching()
    case "W6_aggregate": try aggregate()
    case "W1_batch_dictionaries": try insertDictionaries()
    case "W1_batch_handler": try insertByHandler()
    case "W7_update_batch": try updateBatch()
    case "W7_update_rows": try updateRows()
    case "W8_delete_batch": try deleteBatch()
    case "W8_delete_batch_scattered": try deleteBatch(isScattered: true)
    case "W8_delete_rows": try deleteRows()
    case "W9_lookup": try lookUp()
    case "W10_tomany_fault": try visitMembers()
    case "W10_tomany_prefetch": try visitMembers(prefetching: true)
    case "W10_tomany_fault_nsset": try visitMembers(by: .foundationSet)
    case "W10_tomany_prefetch_nsset": try visitMembers(prefetching: true, by: .foundationSet)
    case "F1_first_lazy": try firstOfLazy()
    case "F1_first_lazy_idx": try firstOfLazy(isSorted: true, index: .order)
    case "F1_first_array": try firstOfArray()
    case "F2_stream": try streamAll()
    case "S1_save_one": try saveOne()
    case "S2_register_faults": try registerFaults()
    case "P2_evaluate": try evaluate("wins > 50 AND qualifyingZone == 'Africa'")
    case "P2_evaluate_dictionaries":
      try evaluate("wins > 50 AND qualifyingZone == 'Africa'", asDictionaries: true)
    case "P3_contains_cd": try fetchMatching("teamName CONTAINS[cd] 'ab'")
    case "P3_plain_like": try plainLike()
    case "P1_parse": parse()
    case "G1_save": try saveToServer()
    case "G2_fetch": try fetchFromServer()
    case "G3_change": try changeOnServer()
    case "M1_open": try openUnmigrated()
    case "M1_added": try migrateAdded()
    case "M2_copied": try migrate(to: .narrow, entity: "Team")
    case "M3_renamed": try migrate(to: .club, entity: "Club")
    case "M4_policy": try migrateWithPolicy()
    case "M4_policy_wide": try migrateWide()
    default:
      guard let workload = LiveWorkload(options.workload) else { return false }
      try live(workload)
    }
    return true
  }

  // MARK: Stores

  /// A new, empty store.
  func newStore(index: ModelIndex = .none, isFull: Bool = false) throws -> Store {
    removeWork()
    return try Store(work, index: index, isFull: isFull)
  }

  /// The shared store, for reading.
  func sharedStore(_ index: ModelIndex = .none) throws -> Store {
    try Store(try template.ready(index), index: index)
  }

  /// A copy of the shared store, for writing.
  func copiedStore(leavesPlayers: Bool = false) throws -> Store {
    try Store(copiedFile(), leavesPlayers: leavesPlayers)
  }

  /// The path of a copy of the shared store that nobody has opened.
  func copiedFile(_ index: ModelIndex = .none) throws -> String {
    removeWork()
    try FileManager.default.copyItem(atPath: try template.ready(index), toPath: work)
    return work
  }

  func removeWork() {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: work + suffix)
    }
  }
}
