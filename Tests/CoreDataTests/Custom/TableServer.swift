// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// What a store of the tests reads from and writes to: records by reference, and a log of the calls.
final class TableServer: @unchecked Sendable {
  // Unchecked: the coordinator calls a store on one thread at a time, and the tests look at the server between
  // these calls.
  struct Record {
    var entity: String
    var values: [String: Any] = [:]
    /// The references of a relationship's destinations, in order.
    var links: [String: [String]] = [:]
    var version: UInt64 = 1
  }

  var records: [String: Record] = [:]
  var metadata: [String: Any]?
  /// The calls of the store, in order, such as `fetch Book` or `values r1`.
  var log: [String] = []
  /// The error of the next save; nil if it succeeds.
  var failure: (any Error)?
  /// The references whose values cannot be read.
  var unreadable: Set<String> = []
  /// Whether nodes leave their to-ones out.
  var nodesOmitReferences = false
  /// Called while a save request is executed.
  var onSave: (() throws -> Void)?
  private let registrations = Mutex<[String: Int]>([:])
  private var last = 0

  /// The number of contexts in which each object is registered.
  var registered: [String: Int] { registrations.withLock { $0 } }

  /// Changes the numbers of `registered`; two stores of this server may do so at the same time.
  func countRegistrations(of names: [String], _ change: Int) {
    registrations.withLock { counts in
      for name in names { counts[name, default: 0] += change }
    }
  }

  func newReference() -> String {
    last += 1
    return "r\(last)"
  }

  /// Changes a record as another program would.
  func change(_ reference: String, _ key: String, to value: Any) {
    records[reference]?.values[key] = value
    records[reference]?.version += 1
  }

  func reference(of entity: String, where key: String, is value: String) -> String? {
    records.first { $0.value.entity == entity && $0.value.values[key] as? String == value }?.key
  }

  func calls(_ prefix: String) -> [String] { log.filter { $0.hasPrefix(prefix) } }
}
