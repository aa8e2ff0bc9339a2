// SPDX-License-Identifier: Apache-2.0

/// Whether contexts and their objects check that they are used on their queue.
///
/// Off unless the program is started with `-com.apple.CoreData.ConcurrencyDebug 1` or with
/// `COREDATA_CONCURRENCY_DEBUG=1` in its environment. Off, a context's methods test one constant, and
/// objects test nothing: the flag that sends their accessors to a check is not set.
package enum Confinement {
  static let isChecked =
    DebugLevel.of("com.apple.CoreData.ConcurrencyDebug", "COREDATA_CONCURRENCY_DEBUG") > 0
  /// Told of the call instead of the program's being stopped, where a test wants to go on.
  @TaskLocal package static var witness: (@Sendable (String) -> Void)?
}
