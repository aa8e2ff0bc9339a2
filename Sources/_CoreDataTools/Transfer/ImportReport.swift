// SPDX-License-Identifier: Apache-2.0

/// What an import did.
package struct ImportReport: Sendable, Equatable {
  package var records = 0
  package var inserted = 0
  /// Objects that were there and are different now.
  package var updated = 0
  /// Objects that were there and said the same already.
  package var unchanged = 0
  package init() {}
}

/// How far an import is.
package struct ImportProgress: Sendable, Equatable {
  /// 1 while objects are made; more while records are read again whose relationships had to wait.
  package let reading: Int
  /// Records of this reading so far.
  package let records: Int
  /// The part of the file that was read, from 0 to 1; nil where its length is not known.
  package let fraction: Double?
}
