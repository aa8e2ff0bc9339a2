// SPDX-License-Identifier: Apache-2.0

extension ResultsList {
  /// Updates the list after objects were changed, inserted or removed, and returns the changes of its rows
  /// and sections.
  ///
  /// `touched` contains the objects that were changed or inserted, and `gone` contains the objects that were
  /// removed. An array may contain an object more than once, and may contain objects that the list never
  /// shows. The values of objects in `gone` are never read. Only objects in the arrays are reported:
  /// - as a *delete* if only the old list shows the object, or as an *insert* if only the new list shows it;
  /// - as an *update* if the object keeps its section and its order relative to the rows that are not moved;
  /// - as a *move* otherwise.
  ///
  /// Untouched rows do not move. Of the touched rows that remain between the same untouched rows, as many as
  /// possible do not move either: they form a longest increasing subsequence of the old positions. The number
  /// of moves is therefore the smallest possible. If all rows of a section were touched, and the position of
  /// the section among the sections has changed, the section is deleted and inserted again, and its rows are
  /// moved.
  ///
  /// `related` contains objects that are themselves unchanged, but through which the rules read changed
  /// values. These objects are inserted, deleted and moved like touched objects. A related object that keeps
  /// its position is not reported.
  ///
  /// If a changed object is in none of the arrays, its row does not move.
  /// - Complexity: at most about k (log₂ n + log₂ k + 4) comparisons for k touched objects and n rows, and
  ///   O(n/512 + sections) other steps.
  package func apply(
    touched: [AnyObject],
    related: [AnyObject] = [],
    gone: [AnyObject] = []
  ) -> ResultChanges {
    var round = ResultsRound(self)
    round.gather(touched, misplaced(related, besides: touched, gone), gone)
    if round.rows.isEmpty { return round.changes }
    round.removeDepartures()
    round.assignSections()
    round.placeRows()
    round.placeSections()
    round.insertArrivals()
    round.chooseMoves()
    round.appendRowChanges()
    revision += 1
    return round.changes
  }

  /// Returns whether `apply(touched:related:gone:)` would report anything.
  ///
  /// - Complexity: at most O(k log k) for k objects; stops at the first touched object that the list shows or
  ///   will show.
  package func isConcerned(
    touched: [AnyObject],
    related: [AnyObject] = [],
    gone: [AnyObject] = []
  ) -> Bool {
    gone.contains(where: contains) || touched.contains { contains($0) || rules.matches($0) }
      || !misplaced(related, besides: [], []).isEmpty
  }
}

extension ResultsRound {
  mutating func chooseMoves() {
    for work in works {
      // Candidates with different gaps are already in order, so one subsequence of all candidates is enough.
      let candidates = work.arrivals.filter { arrival in
        let row = rows[arrival]
        return row.wasShown && row.gap == row.oldGap
          && oldSections[row.old.section] === work.section
      }
      let chosen = increasingSubsequence(candidates.map { rows[$0].old.row })
      for (candidate, isChosen) in zip(candidates, chosen) { rows[candidate].isUnmoved = isChosen }
    }
  }

  /// Appends the row changes in the order of `ResultChanges.rows`, updates the number of rows, and releases
  /// the objects that are no longer shown.
  mutating func appendRowChanges() {
    var inserts: [ResultChange] = []
    var moves: [ResultChange] = []
    var updates: [ResultChange] = []
    for index in departures.reversed() where !rows[index].isShown {
      changes.rows.append(
        ResultChange(
          kind: .delete,
          object: rows[index].object.takeUnretainedValue(),
          old: rows[index].old,
          new: nil
        )
      )
      rows[index].object.release()
      list.count -= 1
    }
    for work in works.sorted(by: { $0.section.index < $1.section.index }) {
      for arrival in work.arrivals {
        let row = rows[arrival]
        let object = row.object.takeUnretainedValue()
        if !row.wasShown {
          inserts.append(ResultChange(kind: .insert, object: object, old: nil, new: row.new))
          list.count += 1
        } else if row.isUnmoved {
          if row.isRelated { continue }
          updates.append(ResultChange(kind: .update, object: object, old: row.old, new: row.new))
        } else {
          moves.append(ResultChange(kind: .move, object: object, old: row.old, new: row.new))
        }
      }
    }
    changes.rows += inserts
    changes.rows += moves
    changes.rows += updates
  }
}

/// Returns, for each of the distinct `values`, whether it belongs to the longest increasing subsequence that
/// was chosen.
///
/// - Complexity: O(n log n); O(n) if the values are already increasing.
func increasingSubsequence(_ values: some Sequence<Int>) -> [Bool] {
  let values = Array(values)
  if !zip(values, values.dropFirst()).contains(where: { $0 > $1 }) {
    return Array(repeating: true, count: values.count)
  }
  /// The element at `i` is the index of the smallest value that ends an increasing subsequence of `i + 1`
  /// values.
  var ends: [Int] = []
  var predecessors = Array(repeating: -1, count: values.count)
  for (index, value) in values.enumerated() {
    var low = 0
    var high = ends.count
    while low < high {
      let middle = (low + high) / 2
      if values[ends[middle]] < value { low = middle + 1 } else { high = middle }
    }
    if low > 0 { predecessors[index] = ends[low - 1] }
    if low == ends.count { ends.append(index) } else { ends[low] = index }
  }
  var chosen = Array(repeating: false, count: values.count)
  var next = ends.last ?? -1
  while next >= 0 {
    chosen[next] = true
    next = predecessors[next]
  }
  return chosen
}
