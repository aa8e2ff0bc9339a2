// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Calls when somebody may have written to one of some files, whatever process it is.
///
/// On Linux the kernel tells (inotify); elsewhere, and where it refuses, time does: twice a second.
/// Source: documented, inotify(7).
final class FileWatch: @unchecked Sendable {
  // Unchecked: Dispatch's sources may be cancelled from anywhere.
  private let source: any DispatchSourceProtocol
  private static let period = DispatchTimeInterval.milliseconds(500)

  /// Calls `changed` on `queue`, once for several writes where they come together.
  ///
  /// Files that are missing are passed over.
  init(_ paths: [String], queue: DispatchQueue, changed: @escaping @Sendable () -> Void) {
    source = Self.kernelSource(paths, queue, changed) ?? Self.timer(queue, changed)
  }

  /// `changed` is not called any more, once a call that is running has ended.
  func cancel() { source.cancel() }

  private static func timer(
    _ queue: DispatchQueue,
    _ changed: @escaping @Sendable () -> Void
  ) -> any DispatchSourceProtocol {
    let timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .now() + period, repeating: period, leeway: .milliseconds(100))
    timer.setEventHandler(handler: changed)
    timer.activate()
    return timer
  }

  #if os(Linux) || os(Android)
  /// Nil where the kernel has no more watches for this user.
  private static func kernelSource(
    _ paths: [String],
    _ queue: DispatchQueue,
    _ changed: @escaping @Sendable () -> Void
  ) -> (any DispatchSourceProtocol)? {
    let file = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    if file < 0 { return nil }
    let watches = paths.filter { inotify_add_watch(file, $0, UInt32(IN_MODIFY)) >= 0 }
    if watches.isEmpty {
      close(file)
      return nil
    }
    let source = DispatchSource.makeReadSource(fileDescriptor: file, queue: queue)
    source.setEventHandler {
      // What the events say does not matter: one is enough to look.
      withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
        while read(file, buffer.baseAddress, buffer.count) > 0 {}
      }
      changed()
    }
    source.setCancelHandler { close(file) }
    source.activate()
    return source
  }
  #else
  private static func kernelSource(
    _ paths: [String],
    _ queue: DispatchQueue,
    _ changed: @escaping @Sendable () -> Void
  ) -> (any DispatchSourceProtocol)? {
    nil
  }
  #endif
}
