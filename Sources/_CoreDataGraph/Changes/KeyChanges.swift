// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The position up to which a child has read the key changes of its parent.
///
/// The reader is used on the parent's queue, and the child retains it.
package final class KeyChangeReader {
  /// The number of the next change to read, counted since recording began.
  fileprivate var position: Int

  fileprivate init(position: Int) { self.position = position }
}

/// Replacements of keys in chronological order, each kept until every living reader has read it.
package struct KeyChanges {
  package typealias Change = (old: ObjectKey, new: ObjectKey)

  private struct Reading { weak var reader: KeyChangeReader? }

  private var kept: [Change] = []
  /// The number of dropped changes, which all precede the kept changes.
  private var dropped = 0
  private var readings: [Reading] = []

  init() {}

  mutating func append(_ old: ObjectKey, _ new: ObjectKey) { kept.append((old, new)) }

  /// Returns a reader that begins with the oldest change that is still kept.
  mutating func makeReader() -> KeyChangeReader {
    let reader = KeyChangeReader(position: dropped)
    readings.append(Reading(reader: reader))
    return reader
  }

  func read(by reader: KeyChangeReader) -> ArraySlice<Change> {
    let unread = kept[max(0, reader.position - dropped)...]
    reader.position = dropped + kept.count
    return unread
  }

  /// Drops the changes that every living reader has read, or all changes if there is no reader.
  ///
  /// - Returns: the old keys of the remaining changes.
  mutating func dropRead() -> Set<ObjectKey> {
    readings.removeAll { $0.reader == nil }
    let end = dropped + kept.count
    let least = readings.compactMap { $0.reader?.position }.min() ?? end
    if least > dropped {
      kept.removeFirst(least - dropped)
      dropped = least
    }
    return Set(kept.map(\.old))
  }
}
