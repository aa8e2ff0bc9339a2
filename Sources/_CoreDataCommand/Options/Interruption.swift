// SPDX-License-Identifier: Apache-2.0

#if Command
import Foundation
import _CoreDataSQLite

/// Removes temporary folders when a signal interrupts the command.
enum Interruption {
  private static let signals: [(number: Int32, name: String)] = [
    (SIGINT, "SIGINT"), (SIGTERM, "SIGTERM"), (SIGHUP, "SIGHUP"),
  ]

  /// Makes the signals SIGINT, SIGTERM and SIGHUP remove the temporary folders of this process before they end
  /// the process.
  ///
  /// Must be called before other threads are started. A signal that was ignored when the process started, as
  /// with `nohup`, remains ignored.
  static func removeFilesAtSignals() {
    let handled = signals.filter { !isIgnored($0.number) }
    var set = sigset_t()
    sigemptyset(&set)
    for signal in handled { sigaddset(&set, signal.number) }
    // Later threads inherit the mask, so only the thread below receives the signals.
    pthread_sigmask(SIG_BLOCK, &set, nil)
    let waited = set
    Thread.detachNewThread {
      var set = waited
      var number: Int32 = 0
      guard sigwait(&set, &number) == 0 else { return }
      report(handled.first { $0.number == number }?.name ?? "a signal")
      // Sends the signal again, so that the parent process sees which signal ended this process.
      signal(number, SIG_DFL)
      pthread_sigmask(SIG_UNBLOCK, &set, nil)
      kill(getpid(), number)
    }
  }

  private static func report(_ name: String) {
    let removed = TemporaryFolder.removeAll().map { "\n  Removed \($0)." }.joined()
    let line = Terminal.showsProgress ? "\r\u{1B}[K" : ""
    FileHandle.standardError.write(Data("\(line)coredata: interrupted by \(name)\(removed)\n".utf8))
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    // Unsafe: Swift cannot compare functions; SIG_IGN is an integer that is declared as a function pointer.
    let former = unsafeBitCast(signal(number, SIG_DFL), to: Int.self)
    if former != unsafeBitCast(SIG_IGN, to: Int.self) { return false }
    signal(number, SIG_IGN)
    return true
  }
}
#endif
