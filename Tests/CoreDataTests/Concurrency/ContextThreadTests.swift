// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import Testing

/// The threads that run the blocks of private contexts.
@Suite struct ContextThreadTests {
  @Test("After a burst of work, blocks that come one at a time leave most threads idle")
  func aBurstLeavesThreadsIdle() throws {
    let outcome = try LaunchedProgram.run(["threads"])
    let numbers = outcome.standardError.split(separator: " ").compactMap { Int($0) }
    try #require(outcome.status == 0 && numbers.count == 2, "\(outcome.standardError)")
    #expect(numbers[1] <= numbers[0] / 2, "\(numbers[1]) threads of \(numbers[0]) had work")
  }

  @Test("The blocks of 600 contexts at once run in each context's order")
  func moreContextsThanThreads() {
    let contexts = (0..<600).map { _ in NSManagedObjectContext(.privateQueue) }
    let group = DispatchGroup()
    let logs = contexts.map { _ in OrderLog() }
    for number in 0..<5 {
      for (context, log) in zip(contexts, logs) {
        group.enter()
        context.perform {
          log.numbers.append(number)
          group.leave()
        }
      }
    }
    group.wait()
    #expect(logs.allSatisfy { $0.numbers == [0, 1, 2, 3, 4] })
  }

  private final class OrderLog: @unchecked Sendable {
    // Unchecked: only the blocks of one context append, and the test reads after all of them.
    var numbers: [Int] = []
  }
}
