// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Calls a closure when any of the given files may have been written to, by any process.
///
/// On Linux the kernel reports writes (inotify). On other systems, and if inotify cannot watch any of the
/// files, a timer calls the closure twice a second.
/// Source: documented, inotify(7).
final class FileWatch: @unchecked Sendable {
  // Unchecked: a Dispatch source may be cancelled from any thread.
  private let source: any DispatchSourceProtocol
  private static let period = DispatchTimeInterval.milliseconds(500)

  /// Calls `changed` on `queue`; several writes in quick succession may result in one call.
  ///
  /// Missing files are ignored.
  init(_ paths: [String], queue: DispatchQueue, changed: @escaping @Sendable () -> Void) {
    source = Self.kernelSource(paths, queue, changed) ?? Self.timer(queue, changed)
  }

  /// Stops the calls of `changed`, without waiting for a call that is in progress.
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
  /// Returns a source of inotify events; nil if no file can be watched, for example because the user's limit
  /// of inotify instances or watches is reached.
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
      // The content of the events is not needed: one call of `changed` stands for all of them.
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
