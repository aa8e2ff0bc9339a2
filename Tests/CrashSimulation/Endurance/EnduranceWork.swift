// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Work that a program can do for any time without using more of the machine.
protocol EnduranceWork: AnyObject {
  /// What a turn does, for the output.
  var name: String { get }

  /// The number of descriptors, and that of threads, up to which a run may grow that is too short to be compared with
  /// its start.
  var limit: Int { get }

  /// Does so much work at once that all connections, threads and caches are there that later turns can need.
  ///
  /// A short run does less, and is not compared with its start as strictly.
  func warmUp(isLong: Bool) throws

  /// Does one portion of the work, or starts it.
  func turn() throws

  /// Waits until all turns are done.
  func wait() throws

  /// Checks the result after the last turn, and returns what is wrong with it.
  func violations() throws -> [String]

  /// What was done so far, in a few words.
  var done: String { get }
}

/// The kinds of work of `EnduranceRun`.
package enum EnduranceKind: String, CaseIterable, Sendable {
  /// A list that follows a context, with 100 changes in each turn.
  case list
  /// Saves from 32 contexts.
  case contexts

  func make(_ folder: URL, seed: UInt64) throws -> any EnduranceWork {
    switch self {
    case .list: try LiveListWork(folder, seed: seed)
    case .contexts: try ManyContextsWork(folder, seed: seed)
    }
  }
}
