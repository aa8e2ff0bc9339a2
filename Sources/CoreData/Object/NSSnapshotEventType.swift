// SPDX-License-Identifier: Apache-2.0

/// The events that replaced an object's values with earlier or newer values; raw values are Apple's.
///
/// Source: documented, “NSSnapshotEventType”.
public struct NSSnapshotEventType: OptionSet, Sendable {
  /// The events as a bit mask.
  public let rawValue: UInt
  /// Creates a set of events from a bit mask.
  public init(rawValue: UInt) { self.rawValue = rawValue }
  /// An insertion was undone, or a deletion was redone.
  public static let undoInsertion = NSSnapshotEventType(rawValue: 1 << 1)
  /// A deletion was undone, or an insertion was redone.
  public static let undoDeletion = NSSnapshotEventType(rawValue: 1 << 2)
  /// An update was undone or redone.
  public static let undoUpdate = NSSnapshotEventType(rawValue: 1 << 3)
  /// The context was rolled back.
  public static let rollback = NSSnapshotEventType(rawValue: 1 << 4)
  /// The object's row was read again, for example by a refresh or a merge.
  public static let refresh = NSSnapshotEventType(rawValue: 1 << 5)
  /// A merge policy resolved a conflict.
  public static let mergePolicy = NSSnapshotEventType(rawValue: 1 << 6)
}
