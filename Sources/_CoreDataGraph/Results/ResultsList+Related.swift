// SPDX-License-Identifier: Apache-2.0

extension ResultsList {
  /// Returns the objects in `related` that cannot keep their position.
  ///
  /// These are the objects that enter the list, leave it or change their section, and as few others as
  /// possible such that all remaining rows are in order. The caller treats the other related objects as
  /// untouched. Rows of objects in `touched` and `gone` are not compared.
  /// - Complexity: O(k log k) for k objects in the three arrays together.
  func misplaced(
    _ related: [AnyObject],
    besides touched: [AnyObject],
    _ gone: [AnyObject]
  ) -> [AnyObject] {
    if related.isEmpty { return [] }
    var taken = Set(touched.map(ObjectIdentifier.init))
    for object in gone { taken.insert(ObjectIdentifier(object)) }
    var misplaced: [AnyObject] = []
    var candidates: [(path: ResultPath, object: AnyObject)] = []
    var seen = taken
    for object in related where seen.insert(ObjectIdentifier(object)).inserted {
      let matches = rules.matches(object)
      guard let path = path(of: object) else {
        if matches { misplaced.append(object) }
        continue
      }
      let name = sections[path.section].name
      if matches, rules.sectionName.map({ SectionNames.areSame($0(object), name) }) ?? true {
        candidates.append((path, object))
      } else {
        misplaced.append(object)
        taken.insert(ObjectIdentifier(object))
      }
    }
    candidates.sort { $0.path < $1.path }
    var first = 0
    while first < candidates.count {
      let (run, after) = run(candidates[first...].lazy.map(\.object), taken)
      let before = neighbour(of: candidates[first].path, by: -1) { taken.contains($0) }
      misplaced += misfits(run, after: before, before: after)
      first += run.count
    }
    return misplaced
  }

  /// Returns the leading `candidates` between which the list has only `taken` rows, and the object of the
  /// next row that is not `taken`.
  private func run(
    _ candidates: some Sequence<AnyObject>,
    _ taken: Set<ObjectIdentifier>
  ) -> (run: [AnyObject], after: AnyObject?) {
    var run: [AnyObject] = []
    var after: AnyObject?
    for candidate in candidates {
      if let after, after !== candidate { break }
      run.append(candidate)
      after = path(of: candidate).flatMap { neighbour(of: $0, by: 1) { taken.contains($0) } }
    }
    return (run, after)
  }

  /// Returns the objects of `run` that have to move.
  ///
  /// These are the objects that do not belong between `previous` and `next`, and as few others as possible
  /// such that the remaining objects are in order. Between the objects of `run`, the list has only rows that
  /// are touched or gone.
  private func misfits(
    _ run: [AnyObject],
    after previous: AnyObject?,
    before next: AnyObject?
  ) -> [AnyObject] {
    let compare = rules.compare
    var misfits: [AnyObject] = []
    var fitting: [AnyObject] = []
    for object in run {
      let isFit =
        previous.map { compare($0, object) <= 0 } ?? true
        && next.map { compare(object, $0) <= 0 } ?? true
      if isFit { fitting.append(object) } else { misfits.append(object) }
    }
    let order = fitting.indices.sorted { left, right in
      let order = compare(fitting[left], fitting[right])
      return order != 0 ? order < 0 : left < right
    }
    var ranks = Array(repeating: 0, count: fitting.count)
    for (rank, index) in order.enumerated() { ranks[index] = rank }
    for (object, stays) in zip(fitting, increasingSubsequence(ranks)) where !stays {
      misfits.append(object)
    }
    return misfits
  }

  /// Returns the object of the nearest row after `path` (if `step` is 1) or before it (if `step` is -1) for
  /// which `isOut` returns false; nil if there is no such row.
  private func neighbour(
    of path: ResultPath,
    by step: Int,
    leavingOut isOut: (ObjectIdentifier) -> Bool
  ) -> AnyObject? {
    var path = path
    while true {
      path.row += step
      while path.row < 0 || path.row >= sections[path.section].count {
        path.section += step
        guard sections.indices.contains(path.section) else { return nil }
        path.row = step > 0 ? 0 : sections[path.section].count - 1
      }
      let object = self[path]
      if !isOut(ObjectIdentifier(object)) { return object }
    }
  }
}
