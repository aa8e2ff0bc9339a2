// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Contexts that wait for each other: told apart from contexts that wait in one direction.
@Suite struct WaitingContextTests {
  /// Threads that each own one context and then wait for the next one's.
  private static func close(_ contexts: [NSManagedObjectContext]) {
    let ready = Turnstile()
    for index in contexts.indices {
      let next = contexts[(index + 1) % contexts.count]
      let own = contexts[index]
      own.name = "context \(index)"
      onThread {
        own.performAndWait {
          ready.meet(contexts.count)
          next.performAndWait {}
        }
      }
    }
    _ = Turnstile().meet(2)
  }

  private func output(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  @Test func twoContextsThatWaitForEachOtherStopTheProgram() async throws {
    let text = output(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let stack = try LibraryStack(NSInMemoryStoreType)
        WaitingContextTests.close([stack.context, stack.container.newBackgroundContext()])
      }
    )
    #expect(text.contains("Deadlock: performAndWait would never return"), "\(text.prefix(800))")
    for (own, next) in [(0, 1), (1, 0)] {
      let line = text.split(separator: "\n").first {
        $0.contains("runs work of <NSManagedObjectContext: 0x")
          && $0.contains("\"context \(own)\") and waits for")
          && $0.hasSuffix("\"context \(next)\")") || $0.hasSuffix("\"context \(next)\").")
      }
      #expect(line?.contains("thread 0x") == true, "\(text.prefix(800))")
    }
  }

  @Test func aCircleOfFiveStopsTheProgram() async throws {
    let text = output(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let container = try LibraryStack(NSInMemoryStoreType).container
        WaitingContextTests.close((0..<5).map { _ in container.newBackgroundContext() })
      }
    )
    for index in 0..<5 { #expect(text.contains("\"context \(index)\")"), "\(text.prefix(800))") }
  }

  @Test func theMainQueueIsPartOfACircle() async throws {
    let text = output(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let stack = try LibraryStack(NSInMemoryStoreType)
        let (view, context) = (stack.container.viewContext, stack.context)
        await MainActor.run {
          let ready = Turnstile()
          onThread {
            context.performAndWait {
              ready.meet(2)
              view.performAndWait {}
            }
          }
          ready.meet(2)
          context.performAndWait {}
        }
      }
    )
    #expect(text.contains("Deadlock"))
    #expect(text.contains("(main queue, \"viewContext\")"), "\(text.prefix(800))")
  }

  @Test func manyThreadsThatWaitInOneDirectionAllGetThere() async throws {
    let container = try LibraryStack(NSInMemoryStoreType).container
    let contexts = (0..<6).map { _ in container.newBackgroundContext() }
    let done = Turnstile()
    await withTaskGroup(of: Void.self) { group in
      for seed in 0..<8 {
        group.addTask {
          await withCheckedContinuation { (finished: CheckedContinuation<Void, Never>) in
            onThread {
              for round in 0..<200 {
                let first = (seed + round) % 5
                contexts[first].performAndWait {
                  contexts[first + 1].performAndWait {
                    contexts[5].performAndWait { contexts[first].performAndWait {} }
                  }
                }
              }
              done.note("done")
              finished.resume()
            }
          }
        }
      }
    }
    #expect(done.events.count == 8)
  }
}
