// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

enum CurrentThread {
  private static let cachedMain = Atomic<UInt>(0)

  /// A token that is unique among living threads and never 0.
  static var token: UInt {
    #if canImport(Darwin)
    UInt(bitPattern: pthread_self())
    #else
    UInt(pthread_self())
    #endif
  }

  /// The main thread's token; 0 until it is known.
  static var main: UInt { cachedMain.load(ordering: .relaxed) }

  /// Whether the calling thread is the main thread or is running work of the main queue.
  ///
  /// On Linux another thread runs the main queue's work if the program calls `dispatchMain()` or has an
  /// asynchronous `main`. The main thread's token is cached, because `Thread.isMainThread` is slow.
  static var isMain: Bool {
    let known = main
    if known == token || DispatchQueue.getSpecific(key: mainQueueKey) != nil { return true }
    guard known == 0, Thread.isMainThread else { return false }
    cachedMain.store(token, ordering: .relaxed)
    return true
  }

  private static let mainQueueKey: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  static func describe(_ token: UInt) -> String {
    (token == main ? "the main thread, " : "thread ") + "0x" + String(token, radix: 16)
  }
}
