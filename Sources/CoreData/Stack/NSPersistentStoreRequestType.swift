// SPDX-License-Identifier: Apache-2.0

/// What a request asks of a store; raw values are Apple's.
///
/// Source: documented, “NSPersistentStoreRequestType”.
public enum NSPersistentStoreRequestType: UInt, Sendable {
  /// To read.
  case fetchRequestType = 1
  /// To write the changes of a context.
  case saveRequestType = 2
  /// To insert rows past the contexts.
  case batchInsertRequestType = 5
  /// To change rows past the contexts.
  case batchUpdateRequestType = 6
  /// To delete rows past the contexts.
  case batchDeleteRequestType = 7
}
