// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation

/// Saves from 32 contexts of one coordinator, up to four at a time after the warm-up, to a store with a history and large values.
final class ManyContextsWork: EnduranceWork {
  let name = "32 contexts"
  let limit = 48
  private static let contexts = 32
  private static let atATime = 4

  private let url: URL
  private let coordinator: NSPersistentStoreCoordinator
  private let workers: [ContextWorker]
  private let free = DispatchSemaphore(value: ManyContextsWork.atATime)
  private let tally = Tally()
  private var turns = 0

  /// What the workers did, which they add from their queues.
  final class Tally: @unchecked Sendable {
    // Unchecked: the lock guards the numbers.
    private let lock = NSLock()
    private(set) var saves = 0
    private(set) var refused = 0
    private(set) var failure: (any Error)?

    func add(_ body: () throws -> Bool) {
      let result = Result(catching: body)
      lock.withLock {
        switch result {
        case .success(true): saves += 1
        case .success(false): refused += 1
        case .failure(let error): failure = failure ?? error
        }
      }
    }
  }

  init(_ folder: URL, seed: UInt64) throws {
    url = folder.appendingPathComponent("Contexts.sqlite")
    let shop = Shop(model: ShopModel.make())
    try shop.add(url, [NSPersistentHistoryTrackingKey: NSNumber(value: true)])
    coordinator = shop.coordinator
    workers = (0..<Self.contexts).map {
      ContextWorker(shop.coordinator, number: $0, seed: seed &+ UInt64($0))
    }
  }

  /// Work of all contexts at the same time, and a timer as the store uses them, for which the system opens three files
  /// in each process.
  func warmUp(isLong: Bool) throws {
    let group = DispatchGroup()
    let timer = DispatchSemaphore(value: 0)
    DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + 0.001) { timer.signal() }
    timer.wait()
    for _ in 0..<(isLong ? 100 : 2) {
      for worker in workers {
        group.enter()
        worker.context.perform { [tally] in
          tally.add(worker.work)
          group.leave()
        }
      }
      group.wait()
      if let failure = tally.failure { throw failure }
    }
  }

  func turn() throws {
    let worker = workers[turns % workers.count]
    turns += 1
    free.wait()
    worker.context.perform { [free, tally] in
      tally.add(worker.work)
      free.signal()
    }
    if let failure = tally.failure { throw failure }
  }

  func wait() throws {
    for _ in 0..<Self.atATime { free.wait() }
    for _ in 0..<Self.atATime { free.signal() }
    // Some contexts still merge the last saves. Objects that refer to each other stay in memory until a reset, with
    // their large values: from one sample to the next megabytes more or less.
    for worker in workers { worker.context.performAndWait(worker.context.reset) }
    if let failure = tally.failure { throw failure }
  }

  func violations() throws -> [String] {
    for store in coordinator.persistentStores { try coordinator.remove(store) }
    return try LibraryCheck.violations(in: url, keepsHistory: true)
  }

  var done: String { "\(tally.saves) saves, \(tally.refused) refused" }
}
