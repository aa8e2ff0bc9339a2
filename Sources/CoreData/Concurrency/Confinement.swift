// SPDX-License-Identifier: Apache-2.0

/// The check that a context and its objects are used on the context's queue.
///
/// The check is off unless the program is started with `-com.apple.CoreData.ConcurrencyDebug 1` or with
/// `COREDATA_CONCURRENCY_DEBUG=1` in its environment.
package enum Confinement {
  static let isChecked =
    DebugLevel.of("com.apple.CoreData.ConcurrencyDebug", "COREDATA_CONCURRENCY_DEBUG") > 0
  /// The handler, set only in tests, that receives the name of each call made outside the context's queue; if
  /// nil, such a call stops the program.
  @TaskLocal package static var violationHandler: (@Sendable (String) -> Void)?
}
