// SPDX-License-Identifier: Apache-2.0

/// Programmer errors around contexts.
extension Misuse {
  /// A key path of a context other than `hasChanges` was to be observed.
  static func notObservable(_ keyPath: String) -> Never {
    fatalError("\(keyPath) of a context cannot be observed; hasChanges can.")
  }

  /// An object and a store that do not fit were given to `assign(_:to:)`.
  static func cannotAssign(_ reason: String) -> Never {
    fatalError("Can't assign an object to a store: \(reason).")
  }
}
