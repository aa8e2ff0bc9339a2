// SPDX-License-Identifier: Apache-2.0

import CoreData
import _CoreDataModel
import _CoreDataPredicate

extension ObjectQuery {
  /// The name of the column with the number of objects in each group; `sort` can also contain this name.
  package static let countColumn = "count"

  /// Groups the matching objects by the values of `keys`, and returns one row for each group.
  ///
  /// A row contains the values of the keys, then the number of objects. `sort`, `limit` and `offset` apply to
  /// the groups; groups that compare as equal are sorted by the values of `keys`. Must be called inside the
  /// context's `performAndWait`.
  /// - Throws: `ToolError` for a key that the entity does not have, and for a key in `sort` that is neither
  ///   one of `keys` nor `count`; the errors of `ids(in:of:)` and of `ObjectReader`.
  /// - Complexity: one fetch, and a few statements for each block of objects; the groups and all object IDs
  ///   are in memory.
  package func groups(
    by keys: [String],
    in context: NSManagedObjectContext,
    of opened: OpenedStore
  ) throws -> [[Value]] {
    var members = self
    (members.sort, members.limit, members.offset) = ([], 0, 0)
    let order = try order(of: keys)
    let columns = try ObjectColumns(
      keyPaths: keys,
      of: opened.entity(named: entity),
      in: opened.model
    )
    var counts: [[Constant]: Int] = [:]
    try ObjectReader(opened, context, columns).forEach(members.ids(in: context, of: opened)) {
      counts[$0.map(Constant.init), default: 0] += 1
    }
    let groups = counts.map { values, count in values.map(\.value) + [.int(Int64(count))] }
      .sorted { left, right in
        for (column, key) in order {
          let comparison = key.compare(left[column], right[column])
          if comparison != 0 { return comparison < 0 }
        }
        return false
      }
    let rest = groups.dropFirst(offset)
    return Array(limit == 0 ? rest : rest.prefix(limit))
  }

  private func order(of keys: [String]) throws -> [(column: Int, key: SortKey)] {
    let names = keys + [Self.countColumn]
    let asked = try sort.map { text -> (Int, SortKey) in
      let (name, ascending) = Self.sortKey(text)
      guard let column = names.firstIndex(of: name) else {
        throw ToolError(
          "groups cannot be sorted by “\(name)”, which is neither a key of the groups nor "
            + "“\(Self.countColumn)”",
          hint: Suggestion.text(for: name, among: names)
        )
      }
      return (column, SortKey(name, ascending: ascending))
    }
    return asked + keys.indices.map { ($0, SortKey(keys[$0])) }
  }
}
