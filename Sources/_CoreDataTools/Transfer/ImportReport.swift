// SPDX-License-Identifier: Apache-2.0

/// The result of an import.
package struct ImportReport: Sendable, Equatable {
  /// The number of records whose objects were inserted, changed or found unchanged.
  package var records = 0
  /// The number of new objects.
  package var inserted = 0
  /// The number of records that changed an existing object.
  package var updated = 0
  /// The number of records that left an existing object unchanged, apart from relationships set in a later
  /// reading.
  package var unchanged = 0
  package init() {}
}

/// The progress of an import.
package struct ImportProgress: Sendable, Equatable {
  /// The number of the current reading of the file, from 1; the file is read again for records that could not
  /// be imported completely.
  package let reading: Int
  /// The number of records that this reading has processed so far.
  package let records: Int
  /// The fraction of the file that was read, from 0 to 1; nil if it is not known.
  package let fraction: Double?
}
