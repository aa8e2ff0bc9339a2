// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The calling thread, cheaply.
enum CurrentThread {
  private static let knownMain = Atomic<UInt>(0)

  /// Unique among living threads, never 0.
  static var token: UInt {
    #if canImport(Darwin)
    UInt(bitPattern: pthread_self())
    #else
    UInt(pthread_self())
    #endif
  }

  /// The main thread's token; 0 until the main thread has asked whether it is the main one.
  static var main: UInt { knownMain.load(ordering: .relaxed) }

  /// Whether it is the main thread, or another one that runs work of the main queue, as all the work
  /// of a program that ends in `dispatchMain()` or is an asynchronous `main` does on Linux.
  ///
  /// `Thread.isMainThread` costs 310 ns, so its yes is remembered.
  static var isMain: Bool {
    let known = main
    if known == token || DispatchQueue.getSpecific(key: mainQueueKey) != nil { return true }
    guard known == 0, Thread.isMainThread else { return false }
    knownMain.store(token, ordering: .relaxed)
    return true
  }

  private static let mainQueueKey: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// A thread's token as debuggers show it.
  static func describe(_ token: UInt) -> String {
    (token == main ? "the main thread, " : "thread ") + "0x" + String(token, radix: 16)
  }
}
