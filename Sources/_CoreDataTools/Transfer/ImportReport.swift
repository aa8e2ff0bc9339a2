// SPDX-License-Identifier: Apache-2.0

/// The numbers of records and objects that an import has processed.
package struct ImportReport: Sendable, Equatable {
  /// The number of imported records, including records that changed nothing.
  package var records = 0
  /// The number of inserted objects.
  package var inserted = 0
  /// The number of records that changed a stored object.
  package var updated = 0
  /// The number of records that did not change their stored object.
  ///
  /// A relationship that is set in a later reading of the file does not count as a change.
  package var unchanged = 0
  package init() {}
}

/// The progress of an import.
package struct ImportProgress: Sendable, Equatable {
  /// The ordinal number of the current reading of the file, from 1.
  ///
  /// The file is read again if records could not be imported completely.
  package let reading: Int
  /// The number of records that this reading has processed.
  package let records: Int
  /// The fraction of the file that was read so far in this reading, from 0 to 1; nil if unknown.
  package let fraction: Double?
}
