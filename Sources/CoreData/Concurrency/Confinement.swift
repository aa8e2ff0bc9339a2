// SPDX-License-Identifier: Apache-2.0

/// The check that a context and its objects are used on the context's queue.
///
/// The check is off unless the program is started with `-com.apple.CoreData.ConcurrencyDebug 1` or with
/// `COREDATA_CONCURRENCY_DEBUG=1` in its environment.
package enum Confinement {
  static let isChecked =
    DebugLevel.of("com.apple.CoreData.ConcurrencyDebug", "COREDATA_CONCURRENCY_DEBUG") > 0
  /// Replaces the fatal error for a call off the context's queue, in tests; receives the name of the call.
  @TaskLocal package static var violationHandler: (@Sendable (String) -> Void)?
}
