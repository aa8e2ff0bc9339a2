// SPDX-License-Identifier: Apache-2.0

/// What a transaction did to an object; raw values are Apple's.
///
/// Source: documented, “NSPersistentHistoryChangeType”.
public enum NSPersistentHistoryChangeType: Int, Sendable {
  /// The object is new.
  case insert = 0
  /// Properties of the object have changed.
  case update = 1
  /// The object is gone.
  case delete = 2
}
