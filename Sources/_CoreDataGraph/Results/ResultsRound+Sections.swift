// SPDX-License-Identifier: Apache-2.0

extension ResultsRound {
  /// A section that has no remaining rows but receives rows.
  ///
  /// It is placed among the sections that have remaining rows.
  struct FloatingSection {
    let work: Int
    /// The object in the first row of the section's new order, by which the section is placed.
    let first: Unmanaged<AnyObject>
    let oldIndex: Int?
    /// The number of sections in front of this section that have remaining rows: `oldGap` before the round,
    /// `gap` after it.
    let oldGap: Int
    let gap: Int
  }

  /// Decides which sections are deleted, inserted or kept, and numbers them.
  ///
  /// A section that has remaining rows is kept. A section that has no remaining rows is kept if it receives
  /// rows and can stay at its position among the kept sections. Otherwise the section is deleted; if it
  /// receives rows, a new section with the same name replaces it.
  mutating func placeSections() {
    if sectionsStay { return }
    let anchored = ContiguousArray(oldSections.lazy.filter { $0.count > 0 })
    var floating: ContiguousArray<FloatingSection> = []
    for index in works.indices where works[index].section.count == 0 {
      if let section = float(index, among: anchored) { floating.append(section) }
    }
    sort(&floating)
    let staying = stayingSections(floating)
    for section in emptied where !staying.contains(ObjectIdentifier(section)) {
      if list.sectionsByName[section.name] === section { list.sectionsByName[section.name] = nil }
      list.free(section)
      changes.deletedSections.append(.init(index: section.index, section: section))
    }
    changes.deletedSections.sort { $0.index > $1.index }
    replaceMovedSections(staying)
    number(anchored, floating)
  }

  /// Whether all sections stay: no section is new, and each section without remaining rows receives rows and
  /// is still in order with its neighbours.
  ///
  /// - Complexity: O(touched sections), whereas placing all sections is O(sections).
  private var sectionsStay: Bool {
    if works.contains(where: { !$0.existed }) { return false }
    let compare = list.rules.compare
    return emptied.allSatisfy { section in
      guard let own = firstRow(section) else { return false }
      for (neighbour, sign) in [(section.index - 1, 1), (section.index + 1, -1)]
      where oldSections.indices.contains(neighbour) {
        guard let other = firstRow(oldSections[neighbour]), sign * compare(other, own) <= 0 else {
          return false
        }
      }
      return true
    }
  }

  /// Returns the object in the first remaining row or, if no row remains, the first arriving object; nil if
  /// the section has neither.
  private func firstRow(_ section: ResultsSection) -> AnyObject? {
    if section.count > 0 { return section[0] }
    guard section.work >= 0, let arrival = works[section.work].arrivals.first else { return nil }
    return rows[arrival].object.takeUnretainedValue()
  }

  private func float(
    _ work: Int,
    among anchored: ContiguousArray<ResultsSection>
  ) -> FloatingSection? {
    guard let arrival = works[work].arrivals.first else { return nil }
    let first = rows[arrival].object
    let compare = list.rules.compare
    let object = first.takeUnretainedValue()
    let old = works[work].existed ? works[work].section.index : nil
    var oldGap = 0
    if let old {
      oldGap = anchored.partition { $0.index < old }
      let fitsAfter = oldGap == 0 || compare(anchored[oldGap - 1][0], object) <= 0
      if fitsAfter, oldGap == anchored.count || compare(object, anchored[oldGap][0]) <= 0 {
        return FloatingSection(
          work: work,
          first: first,
          oldIndex: old,
          oldGap: oldGap,
          gap: oldGap
        )
      }
    }
    let gap = anchored.partition { compare($0[0], object) <= 0 }
    return FloatingSection(work: work, first: first, oldIndex: old, oldGap: oldGap, gap: gap)
  }

  private func sort(_ floating: inout ContiguousArray<FloatingSection>) {
    let compare = list.rules.compare
    floating.sort { left, right in
      if left.gap != right.gap { return left.gap < right.gap }
      let order = compare(left.first.takeUnretainedValue(), right.first.takeUnretainedValue())
      if order != 0 { return order < 0 }
      return (left.oldIndex ?? .max, left.work) < (right.oldIndex ?? .max, right.work)
    }
  }

  private func stayingSections(
    _ floating: ContiguousArray<FloatingSection>
  ) -> Set<ObjectIdentifier> {
    var staying = Set<ObjectIdentifier>()
    let candidates = floating.filter { $0.oldIndex != nil && $0.gap == $0.oldGap }
    // Candidates with different gaps are already in order, so one subsequence of all candidates is enough.
    let chosen = increasingSubsequence(candidates.map { $0.oldIndex ?? 0 })
    for (candidate, isChosen) in zip(candidates, chosen) where isChosen {
      staying.insert(ObjectIdentifier(works[candidate.work].section))
    }
    return staying
  }

  private mutating func replaceMovedSections(_ staying: Set<ObjectIdentifier>) {
    for index in works.indices {
      let section = works[index].section
      guard works[index].existed, section.count == 0,
        !staying.contains(ObjectIdentifier(section))
      else { continue }
      section.work = -1
      works[index].section = list.makeSection(section.name, at: -1)
      list.sectionsByName[section.name] = works[index].section
    }
  }

  private mutating func number(
    _ anchored: ContiguousArray<ResultsSection>,
    _ floating: ContiguousArray<FloatingSection>
  ) {
    var sections: ContiguousArray<ResultsSection> = []
    sections.reserveCapacity(anchored.count + floating.count)
    var next = 0
    for (gap, section) in anchored.enumerated() {
      while next < floating.count, floating[next].gap <= gap {
        sections.append(works[floating[next].work].section)
        next += 1
      }
      sections.append(section)
    }
    for section in floating[next...] { sections.append(works[section.work].section) }
    for (index, section) in sections.enumerated() {
      if section.index < 0 {
        changes.insertedSections.append(.init(index: index, section: section))
      }
      section.index = index
    }
    list.sections = sections
  }
}

extension ContiguousArray {
  /// Returns the number of elements for which `isBefore` is true; these elements must precede all others.
  fileprivate func partition(_ isBefore: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
