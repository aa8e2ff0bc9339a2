// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A serial queue: its blocks run one at a time, in the order in which they were added, on `WorkerThreads`.
final class WorkQueue: Sendable {
  private struct State: Sendable {
    var blocks: [@Sendable () -> Void] = []
    /// Whether a thread runs the blocks, or was asked to.
    var isActive = false
  }
  private let state = Mutex(State())

  /// Adds a block, and asks for a thread if no thread runs the queue's blocks.
  func async(_ block: @escaping @Sendable () -> Void) {
    let needsThread = state.withLock { state in
      state.blocks.append(block)
      defer { state.isActive = true }
      return !state.isActive
    }
    if needsThread { WorkerThreads.shared.run(self) }
  }

  /// Runs blocks on the calling thread until there are no more.
  func runBlocks() {
    while true {
      let added = state.withLock { state in
        defer { state.blocks = [] }
        state.isActive = !state.blocks.isEmpty
        return state.blocks
      }
      if added.isEmpty { return }
      // A block is released after its run, and does not live as long as the blocks after it.
      var waiting = Array(added.reversed())
      while let block = waiting.popLast() { block() }
    }
  }
}
