// SPDX-License-Identifier: Apache-2.0

/// A sorted, sectioned list of objects that follows changes at a cost that depends on the changes.
///
/// Rows lie in blocks of at most 512, and a table leads from an object to its block, so that a changed
/// object is found by identity, never by its changed values. Which objects changed is told to
/// `apply(touched:)`. Rows equal under the order keep their places; of those that come, later ones lie
/// behind.
/// Memory: about 25 bytes a row, and one reference to each object.
package final class ResultsList {
  package let rules: ResultsRules
  /// In order; one nameless section, even when empty, where the rules name none.
  package internal(set) var sections: ContiguousArray<ResultsSection> = []
  /// Number of rows of all sections.
  package internal(set) var count = 0
  /// Grows with every round that changed something; what was read from the list is good as long as
  /// this stays the same.
  package internal(set) var revision = 0

  var sectionsByName: [String: ResultsSection] = [:]
  /// Whether the list holds a reference to each of its objects; false for a frozen one.
  private var ownsObjects = true
  private var leaves: ContiguousArray<ResultsLeaf?> = [nil]
  private var freeLeaves: ContiguousArray<UInt32> = []
  /// Built when first asked for.
  private var places: ResultPlaces?

  /// A list of `sorted`, which is in the order of `rules` and has no object twice.
  ///
  /// `known` are sections that an earlier list of the same rows had. They are taken where they have as
  /// many rows, and the names of each section's first and last rows agree; else they are not used. Those
  /// that are proven need only have as many rows.
  /// - Throws: `SectionOrderError` where a section's name comes back after another.
  /// - Complexity: O(n), and no comparison; asks for the section name of each object once, or of two
  ///   objects of each known section.
  package init(
    sorted: [AnyObject],
    rules: ResultsRules,
    known: [KnownSection]? = nil,
    isProven: Bool = false
  ) throws(SectionOrderError) {
    self.rules = rules
    if let known, let sectionName = rules.sectionName,
      Self.agree(known, sorted, isProven ? nil : sectionName)
    {
      usedKnownSections = true
      var first = 0
      for section in known {
        close(section.name, sorted[first..<first + section.count])
        first += section.count
      }
      return
    }
    guard let sectionName = rules.sectionName else {
      let section = ResultsSection(name: "", index: 0)
      sections.append(section)
      fill(section, sorted[...])
      return
    }
    var first = 0
    var current: String?
    for (position, object) in sorted.enumerated() {
      let name = sectionName(object)
      if name == current { continue }
      if let current {
        close(current, sorted[first..<position])
        if sectionsByName[name] != nil {
          throw SectionOrderError(name: name, after: current, position: position)
        }
      }
      current = name
      first = position
    }
    if let current { close(current, sorted[first...]) }
  }

  /// Whether the list took the known sections it was given.
  package private(set) var usedKnownSections = false

  private static func agree(
    _ known: [KnownSection],
    _ sorted: [AnyObject],
    _ sectionName: ((AnyObject) -> String)?
  ) -> Bool {
    var first = 0
    var names = Set<String>()
    for section in known {
      let last = first + section.count - 1
      guard section.count > 0, last < sorted.count, names.insert(section.name).inserted,
        sectionName.map({ $0(sorted[first]) == section.name && $0(sorted[last]) == section.name })
          ?? true
      else { return false }
      first = last + 1
    }
    return first == sorted.count
  }

  deinit { dissolve() }

  /// Lets go of all objects; sections that somebody holds longer than the list are empty then.
  private func dissolve() {
    for section in sections {
      if ownsObjects {
        for leaf in section.leaves { for object in leaf.objects { object.release() } }
      }
      section.leaves = []
      section.count = 0
    }
  }

  // MARK: Frozen

  /// The list as it is now, to be read while this one becomes another.
  ///
  /// It does not keep its objects alive: `keepObjects()` before the last of them may go, or let it end.
  /// - Complexity: O(n/512 + sections).
  package func frozen() -> ResultsList {
    ResultsList(frozen: self)
  }

  private init(frozen list: ResultsList) {
    rules = list.rules
    count = list.count
    revision = list.revision
    ownsObjects = false
    for section in list.sections {
      let copy = ResultsSection(name: section.name, index: section.index)
      copy.count = section.count
      copy.leaves = ContiguousArray(
        section.leaves.map { leaf in
          let leafCopy = ResultsLeaf(id: newLeafID(), section: copy, objects: leaf.objects)
          leafCopy.start = leaf.start
          leaves[Int(leafCopy.id)] = leafCopy
          return leafCopy
        }
      )
      sections.append(copy)
      if rules.sectionName != nil { sectionsByName[copy.name] = copy }
    }
  }

  /// Makes a frozen list hold its objects; every one of them must still be alive.
  package func keepObjects() {
    if ownsObjects { return }
    ownsObjects = true
    for section in sections {
      for leaf in section.leaves { for object in leaf.objects { _ = object.retain() } }
    }
  }

  private func close(_ name: String, _ objects: ArraySlice<AnyObject>) {
    let section = ResultsSection(name: name, index: sections.count)
    sections.append(section)
    sectionsByName[name] = section
    fill(section, objects)
  }

  private func fill(_ section: ResultsSection, _ objects: ArraySlice<AnyObject>) {
    build(section, ContiguousArray(objects.map { Unmanaged.passRetained($0) }))
    count += objects.count
  }

  // MARK: Reading

  /// The object at a path; a path outside the list stops the program.
  ///
  /// - Complexity: O(log n).
  package subscript(path: ResultPath) -> AnyObject { sections[path.section][path.row] }

  /// Where an object is, by identity; nil where the list does not show it.
  ///
  /// - Complexity: O(1) and a look through one block; O(n) the first time.
  package func path(of object: AnyObject) -> ResultPath? {
    place(of: Unmanaged.passUnretained(object)).map { leaf, index in
      ResultPath(section: leaf.section.index, row: leaf.start + index)
    }
  }

  package func contains(_ object: AnyObject) -> Bool {
    place(of: Unmanaged.passUnretained(object)) != nil
  }

  /// All objects, in order.
  package var objects: [AnyObject] {
    var objects: [AnyObject] = []
    objects.reserveCapacity(count)
    for section in sections { section.forEach { objects.append($0) } }
    return objects
  }

  /// Builds the table of places now rather than at the first look-up or change.
  ///
  /// - Complexity: O(n) the first time.
  package func prepare() {
    guard places == nil else { return }
    var table = ResultPlaces(minimumCapacity: count)
    for section in sections {
      for leaf in section.leaves {
        for object in leaf.objects { table.insert(object, leaf: leaf.id) }
      }
    }
    places = table
  }

  func place(of object: Unmanaged<AnyObject>) -> (leaf: ResultsLeaf, index: Int)? {
    prepare()
    var found: (leaf: ResultsLeaf, index: Int)?
    _ = places?.leaf(of: object) { id in
      guard let leaf = leaves[Int(id)], let index = leaf.index(of: object) else { return false }
      found = (leaf, index)
      return true
    }
    return found
  }

  // MARK: Leaves

  func leaf(_ id: UInt32) -> ResultsLeaf? { leaves[Int(id)] }

  /// Gives an empty section its rows.
  func build(_ section: ResultsSection, _ objects: ContiguousArray<Unmanaged<AnyObject>>) {
    section.leaves = cut(objects, section)
    renumber(section)
  }

  func enter(_ object: Unmanaged<AnyObject>, _ leaf: ResultsLeaf) {
    places?.insert(object, leaf: leaf.id)
  }

  func forget(_ object: Unmanaged<AnyObject>, _ leaf: ResultsLeaf) {
    places?.remove(object, leaf: leaf.id)
  }

  /// Drops empty leaves, joins small neighbours, cuts long leaves and counts the rows again.
  ///
  /// - Complexity: O(leaves of the section), and the rows of the leaves that are joined or cut.
  func tidy(_ section: ResultsSection) {
    if section.leaves.contains(where: { isOdd($0, in: section) }) {
      var tidied: ContiguousArray<ResultsLeaf> = []
      for leaf in section.leaves {
        if let last = tidied.last, last.objects.count + leaf.objects.count <= ResultsLeaf.limit / 2
        {
          for object in leaf.objects {
            forget(object, leaf)
            enter(object, last)
          }
          last.objects.append(contentsOf: leaf.objects)
          free(leaf)
        } else if leaf.objects.isEmpty {
          free(leaf)
        } else {
          tidied.append(leaf)
          if leaf.objects.count > ResultsLeaf.limit { tidied.append(contentsOf: shorten(leaf)) }
        }
      }
      section.leaves = tidied
    }
    renumber(section)
  }

  private func isOdd(_ leaf: ResultsLeaf, in section: ResultsSection) -> Bool {
    let size = leaf.objects.count
    return size > ResultsLeaf.limit || size == 0
      || size < ResultsLeaf.limit / 8 && section.leaves.count > 1
  }

  private func renumber(_ section: ResultsSection) {
    var row = 0
    for leaf in section.leaves {
      leaf.start = row
      row += leaf.objects.count
    }
    section.count = row
  }

  /// Leaves `leaf` its share of its rows and gives the new leaves behind it.
  private func shorten(_ leaf: ResultsLeaf) -> ContiguousArray<ResultsLeaf> {
    let share = Self.share(leaf.objects.count)
    let rest = ContiguousArray(leaf.objects[share...])
    leaf.objects.removeSubrange(share...)
    for object in rest { forget(object, leaf) }
    return cut(rest, leaf.section)
  }

  private func cut(
    _ objects: ContiguousArray<Unmanaged<AnyObject>>,
    _ section: ResultsSection
  ) -> ContiguousArray<ResultsLeaf> {
    var result: ContiguousArray<ResultsLeaf> = []
    let share = Self.share(objects.count)
    var first = 0
    while first < objects.count {
      let last = min(first + share, objects.count)
      let leaf = ResultsLeaf(
        id: newLeafID(),
        section: section,
        objects: ContiguousArray(objects[first..<last])
      )
      leaves[Int(leaf.id)] = leaf
      if places != nil { for object in leaf.objects { enter(object, leaf) } }
      result.append(leaf)
      first = last
    }
    return result
  }

  /// Rows for each of the leaves that `count` rows make.
  private static func share(_ count: Int) -> Int {
    let parts = max(1, (count + ResultsLeaf.fill - 1) / ResultsLeaf.fill)
    return (count + parts - 1) / parts
  }

  private func newLeafID() -> UInt32 {
    if let id = freeLeaves.popLast() { return id }
    leaves.append(nil)
    return UInt32(leaves.count - 1)
  }

  private func free(_ leaf: ResultsLeaf) {
    leaves[Int(leaf.id)] = nil
    freeLeaves.append(leaf.id)
  }
}
