// SPDX-License-Identifier: Apache-2.0

/// Whether contexts and their objects check that they are used on their queue.
///
/// Checks are off unless the program is started with `-com.apple.CoreData.ConcurrencyDebug 1` or with
/// `COREDATA_CONCURRENCY_DEBUG=1` in its environment. While checks are off, a context's methods test one
/// constant and objects test nothing, because the flag that makes their accessors check is not set.
package enum Confinement {
  static let isChecked =
    DebugLevel.of("com.apple.CoreData.ConcurrencyDebug", "COREDATA_CONCURRENCY_DEBUG") > 0
  /// Receives the description of an off-queue call instead of stopping the program; set by tests.
  @TaskLocal package static var violationHandler: (@Sendable (String) -> Void)?
}
