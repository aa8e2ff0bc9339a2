// SPDX-License-Identifier: Apache-2.0

import CoreData

/// Tells how many threads the blocks of private contexts have after all contexts were busy at once.
enum LaunchedThreads {
  private static let contexts = 24

  static func run() {
    let contexts = (0..<contexts).map { _ in NSManagedObjectContext(.privateQueue) }
    // All contexts are busy at the same time, so each of them needs a thread.
    let group = DispatchGroup()
    let (begun, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    for context in contexts {
      group.enter()
      context.perform {
        begun.signal()
        end.wait()
        group.leave()
      }
    }
    for _ in contexts { begun.wait() }
    for _ in contexts { end.signal() }
    group.wait()
    // Then one at a time.
    let threads = Threads()
    for turn in 0..<400 {
      contexts[turn % contexts.count].perform {
        threads.add(UInt(bitPattern: ObjectIdentifier(Thread.current)))
        begun.signal()
      }
      begun.wait()
    }
    FileHandle.standardError.write(Data("\(contexts.count) \(threads.count)".utf8))
  }

  private final class Threads: @unchecked Sendable {
    // Unchecked: the main thread waits for each block.
    private var found: Set<UInt> = []
    func add(_ thread: UInt) { found.insert(thread) }
    var count: Int { found.count }
  }
}
