// SPDX-License-Identifier: Apache-2.0

/// One round of changes to a results list, step by step.
///
/// The touched rows are removed first. The remaining rows are in order, because they did not change. Each
/// touched object that the list will show is then assigned a gap: the number of remaining rows of its section
/// that precede it.
struct ResultsRound {
  let list: ResultsList
  let oldSections: ContiguousArray<ResultsSection>
  var rows: ContiguousArray<TouchedRow> = []
  /// The indexes in `rows` of the objects that were in the list, in the order of their old paths.
  var departures: ContiguousArray<Int> = []
  var works: ContiguousArray<SectionWork> = []
  var emptied: ContiguousArray<ResultsSection> = []
  var changes = ResultChanges()

  init(_ list: ResultsList) {
    self.list = list
    oldSections = list.sections
  }

  /// A touched object that was in the list, will be in it, or both.
  struct TouchedRow {
    let object: Unmanaged<AnyObject>
    let wasShown: Bool
    let isShown: Bool
    /// Whether the object itself is unchanged, but values that determine its position may have changed.
    let isRelated: Bool
    /// The object's lead (see `ResultsRules.sortPrefix`); 0 unless its section receives many objects.
    var lead: UInt64 = 0
    /// The old path; meaningful only if the object was shown.
    var old: ResultPath
    var oldLeaf: UInt32
    /// The number of remaining rows that precede the object in its old section.
    var oldGap = 0
    var work = -1
    /// The number of remaining rows that precede the object in its new section.
    var gap = 0
    var new = ResultPath(section: 0, row: 0)
    /// Whether the object keeps its order relative to the rows that are not reported as moved.
    var isUnmoved = false
  }

  struct SectionWork {
    var section: ResultsSection
    /// The indexes in `rows` of the objects that the section receives; `placeRows()` sorts them into their
    /// new order.
    var arrivals: ContiguousArray<Int> = []
    /// Whether the list had a section with the same name before the round.
    let existed: Bool
  }

  // MARK: Removing rows

  mutating func gather(_ touched: [AnyObject], _ related: [AnyObject], _ gone: [AnyObject]) {
    let most = touched.count + related.count + gone.count
    var seen = Set<ObjectIdentifier>(minimumCapacity: most > 1 ? most : 0)
    rows.reserveCapacity(most)
    let isSingle = most == 1
    for object in gone where isSingle || seen.insert(ObjectIdentifier(object)).inserted {
      gather(object, isGone: true, isRelated: false)
    }
    for object in touched where isSingle || seen.insert(ObjectIdentifier(object)).inserted {
      gather(object, isGone: false, isRelated: false)
    }
    for object in related where isSingle || seen.insert(ObjectIdentifier(object)).inserted {
      gather(object, isGone: false, isRelated: true)
    }
    let rows = rows
    departures.sort { rows[$0].old < rows[$1].old }
  }

  private mutating func gather(_ object: AnyObject, isGone: Bool, isRelated: Bool) {
    let reference = Unmanaged.passUnretained(object)
    let location = list.location(of: reference)
    let isShown = !isGone && list.rules.matches(object)
    if location == nil && !isShown { return }
    var old = ResultPath(section: 0, row: 0)
    if let location {
      old = ResultPath(
        section: location.leaf.section.index,
        row: location.leaf.start + location.index
      )
      departures.append(rows.count)
    }
    rows.append(
      TouchedRow(
        object: reference,
        wasShown: location != nil,
        isShown: isShown,
        isRelated: isRelated,
        old: old,
        oldLeaf: location?.leaf.id ?? 0
      )
    )
  }

  mutating func removeDepartures() {
    var first = 0
    while first < departures.count {
      let section = rows[departures[first]].old.section
      var last = first
      while last < departures.count, rows[departures[last]].old.section == section {
        rows[departures[last]].oldGap = rows[departures[last]].old.row - (last - first)
        last += 1
      }
      removeRows(first..<last, of: oldSections[section])
      first = last
    }
  }

  private mutating func removeRows(_ range: Range<Int>, of section: ResultsSection) {
    var first = range.lowerBound
    while first < range.upperBound {
      let id = rows[departures[first]].oldLeaf
      var last = first
      while last < range.upperBound, rows[departures[last]].oldLeaf == id { last += 1 }
      if let leaf = list.leaf(id) { removeRows(first..<last, of: leaf) }
      first = last
    }
    list.rebalance(section)
    if section.count == 0, list.rules.sectionName != nil { emptied.append(section) }
  }

  private func removeRows(_ range: Range<Int>, of leaf: ResultsLeaf) {
    for index in range { list.unregister(rows[departures[index]].object, leaf) }
    let start = leaf.start
    if range.count == 1 {
      leaf.objects.remove(at: rows[departures[range.lowerBound]].old.row - start)
      return
    }
    var kept: ContiguousArray<Unmanaged<AnyObject>> = []
    kept.reserveCapacity(leaf.objects.count - range.count)
    leaf.objects.withElements { objects in
      var from = 0
      for index in range {
        let row = rows[departures[index]].old.row - start
        kept.append(contentsOf: UnsafeBufferPointer(rebasing: objects[from..<row]))
        from = row + 1
      }
      kept.append(contentsOf: UnsafeBufferPointer(rebasing: objects[from...]))
    }
    leaf.objects = ResultRows(kept)
  }

  // MARK: Placing rows

  /// Assigns a section to each object that the list will show; creates a section with the index -1 for a new
  /// name.
  mutating func assignSections() {
    for index in rows.indices where rows[index].isShown {
      let (section, existed) = section(of: rows[index])
      if section.work < 0 {
        section.work = works.count
        works.append(SectionWork(section: section, existed: existed))
      }
      rows[index].work = section.work
      works[section.work].arrivals.append(index)
    }
  }

  private func section(of row: TouchedRow) -> (ResultsSection, existed: Bool) {
    guard let sectionName = list.rules.sectionName else { return (list.sections[0], true) }
    let name = sectionName(row.object.takeUnretainedValue())
    if row.wasShown, SectionNames.areSame(oldSections[row.old.section].name, name) {
      return (oldSections[row.old.section], true)
    }
    if let section = list.sectionsByName[name] { return (section, section.index >= 0) }
    let section = list.makeSection(name, at: -1)
    list.sectionsByName[name] = section
    return (section, false)
  }

  mutating func placeRows() {
    for index in works.indices {
      let section = works[index].section
      let count = works[index].arrivals.count
      if section.count > 0 {
        // Many arrivals are sorted before their gaps are found. The gaps are then found in ascending order,
        // which needs fewer comparisons and less memory traffic.
        if count > 16, count * 64 > section.count {
          sortArrivals(index)
          findGapsInOrder(index)
          continue
        }
        for arrival in works[index].arrivals {
          rows[arrival].gap = gap(of: rows[arrival], in: section)
        }
      }
      if count > 1 { sortArrivals(index) }
    }
  }

  private mutating func findGapsInOrder(_ work: Int) {
    let section = works[work].section
    var previous = 0
    var isSorted = true
    for arrival in works[work].arrivals {
      let gap = gap(of: rows[arrival], in: section, galloping: previous)
      rows[arrival].gap = gap
      // Only arrivals that compare equal and keep their old gaps can be out of order.
      if gap < previous { isSorted = false }
      previous = gap
    }
    if !isSorted { sortArrivals(work) }
  }

  /// Returns the object's old gap if the object still fits there; otherwise the nearest gap into which it
  /// fits.
  ///
  /// An object that was not in the section comes after all rows that compare equal to it. If `start` is
  /// given, a galloping search begins at that row.
  private func gap(
    of row: TouchedRow,
    in section: ResultsSection,
    galloping start: Int? = nil
  ) -> Int {
    let object = row.object.takeUnretainedValue()
    let compare = list.rules.compare
    var low = start ?? 0
    var high = section.count
    if row.wasShown, oldSections[row.old.section] === section {
      let old = row.oldGap
      if old > 0, compare(object, section[old - 1]) < 0 {
        high = old - 1
      } else if old < section.count, compare(section[old], object) < 0 {
        low = max(low, old + 1)
        return section.partition(low..<high, galloping: start != nil) { compare($0, object) < 0 }
      } else {
        return old
      }
    }
    return section.partition(min(low, high)..<high, galloping: start != nil) {
      compare($0, object) <= 0
    }
  }

  private mutating func sortArrivals(_ work: Int) {
    if works[work].arrivals.count > 16, let lead = list.rules.sortPrefix {
      for arrival in works[work].arrivals {
        rows[arrival].lead = lead(rows[arrival].object.takeUnretainedValue())
      }
    }
    let rows = rows
    let section = works[work].section
    let oldSections = oldSections
    let compare = list.rules.compare
    works[work].arrivals.sortByMerging { left, right in
      if rows[left].gap != rows[right].gap { return rows[left].gap < rows[right].gap }
      if rows[left].lead != rows[right].lead { return rows[left].lead < rows[right].lead }
      // Both references are guaranteed to be valid, because the objects in `rows` stay alive for the whole
      // round.
      let order = rows[left].object._withUnsafeGuaranteedRef { left in
        rows[right].object._withUnsafeGuaranteedRef { compare(left, $0) }
      }
      if order != 0 { return order < 0 }
      let a = rows[left]
      let b = rows[right]
      let aStays = a.wasShown && oldSections[a.old.section] === section
      let bStays = b.wasShown && oldSections[b.old.section] === section
      if aStays && bStays { return a.old.row < b.old.row }
      return aStays != bStays ? aStays : left < right
    }
  }

  // MARK: Building the new list

  mutating func insertArrivals() {
    for work in works {
      for (ordinal, arrival) in work.arrivals.enumerated() {
        rows[arrival].new = ResultPath(
          section: work.section.index,
          row: rows[arrival].gap + ordinal
        )
        if !rows[arrival].wasShown { _ = rows[arrival].object.retain() }
      }
      if work.section.count == 0 {
        list.build(work.section, ContiguousArray(work.arrivals.map { rows[$0].object }))
      } else {
        insertArrivals(work)
        list.rebalance(work.section)
      }
      work.section.work = -1
    }
  }

  private func insertArrivals(_ work: SectionWork) {
    let arrivals = work.arrivals
    var first = 0
    while first < arrivals.count {
      let gap = rows[arrivals[first]].gap
      let leaf = work.section.leaves[work.section.leafIndex(gap)]
      let end = leaf.start + leaf.objects.count
      let isLast = end == work.section.count
      var last = first + 1
      while last < arrivals.count, isLast || rows[arrivals[last]].gap < end { last += 1 }
      merge(arrivals[first..<last], into: leaf)
      first = last
    }
  }

  private func merge(_ arrivals: ArraySlice<Int>, into leaf: ResultsLeaf) {
    for arrival in arrivals { list.register(rows[arrival].object, leaf) }
    if let arrival = arrivals.first, arrivals.count == 1 {
      leaf.objects.insert(rows[arrival].object, at: rows[arrival].gap - leaf.start)
      return
    }
    var merged: ContiguousArray<Unmanaged<AnyObject>> = []
    merged.reserveCapacity(leaf.objects.count + arrivals.count)
    let start = leaf.start
    leaf.objects.withElements { objects in
      var from = 0
      for arrival in arrivals {
        let to = rows[arrival].gap - start
        merged.append(contentsOf: UnsafeBufferPointer(rebasing: objects[from..<to]))
        merged.append(rows[arrival].object)
        from = to
      }
      merged.append(contentsOf: UnsafeBufferPointer(rebasing: objects[from...]))
    }
    leaf.objects = ResultRows(merged)
  }
}
