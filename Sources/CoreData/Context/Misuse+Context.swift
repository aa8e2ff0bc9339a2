// SPDX-License-Identifier: Apache-2.0

/// Programmer errors that concern contexts.
extension Misuse {
  /// The program tried to observe a key path of a context other than `hasChanges`.
  static func notObservable(_ keyPath: String) -> Never {
    fatalError(
      "\(keyPath) cannot be observed: the only observable property of a context is hasChanges."
    )
  }

  /// The object or the store passed to `assign(_:to:)` is not acceptable.
  static func cannotAssign(_ reason: String) -> Never {
    fatalError("Can't assign an object to a store: \(reason).")
  }
}
