// SPDX-License-Identifier: Apache-2.0

/// A sorted, sectioned list of objects.
///
/// Rows are stored in blocks of at most 512, and a table maps an object to its block, so that a changed
/// object is found by identity and never by its values. The caller passes the changed objects to
/// `apply(touched:related:gone:)`. Rows that compare equal keep their order, and a new row comes after the
/// rows that are equal to it.
///
/// A list needs about 25 bytes per row, and 110 bytes per section plus its name. It holds one reference to
/// each object.
package final class ResultsList {
  package let rules: ResultsRules
  /// The sections in order.
  ///
  /// If `rules.sectionName` is nil, the list has one section without a name, which may be empty.
  package internal(set) var sections: ContiguousArray<ResultsSection> = []
  /// The number of rows of all sections.
  package internal(set) var count = 0
  /// A number that increases at least with every round that changes the list or reports an update.
  ///
  /// Values read from the list stay valid until the number increases.
  package internal(set) var revision = 0

  var sectionsByName = SectionTable()
  /// Whether the list retains its objects; false for a frozen list before `keepObjects()`.
  private var ownsObjects = true
  private var leaves: ContiguousArray<ResultsLeaf?> = [nil]
  private var freeLeaves: ContiguousArray<UInt32> = []
  /// The block that contains each object; nil until the first look-up.
  private var leafTable: LeafTable?

  /// Creates a list of `sorted`, which must be in the order of `rules` and contain no object twice.
  ///
  /// `known` contains the expected sections, so that the names of most rows need not be read. The known
  /// sections are used only if the rules have section names and the sections match the objects: each section
  /// has rows and a unique name, the row counts add up to the number of objects, and the first and last row
  /// of each section have its name. If `isProven` is true, the names of these two rows are not checked.
  /// - Throws: `SectionOrderError` if the name of a section appears again after another section.
  /// - Complexity: O(n), without comparisons. Reads the section name of each object once, or of two objects
  ///   of each known section.
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
      sectionsByName = SectionTable(minimumCapacity: known.count)
      var first = 0
      for section in known {
        close(section.name, sorted[first..<first + section.count])
        first += section.count
      }
      compact()
      return
    }
    guard let sectionName = rules.sectionName else {
      let section = makeSection("", at: 0)
      sections.append(section)
      fill(section, sorted[...])
      return
    }
    var first = 0
    var current: String?
    for (position, object) in sorted.enumerated() {
      let name = sectionName(object)
      if let current {
        if SectionNames.areSame(name, current) { continue }
        close(current, sorted[first..<position])
        if sectionsByName[name] != nil {
          throw SectionOrderError(name: name, after: current, position: position)
        }
      }
      current = name
      first = position
    }
    if let current { close(current, sorted[first...]) }
    compact()
  }

  private func compact() {
    sections = Self.compact(sections)
    leaves = Self.compact(leaves)
  }

  private static func compact<Element>(
    _ array: ContiguousArray<Element>
  ) -> ContiguousArray<Element> {
    if array.capacity - array.count < array.count / 8 { return array }
    var compact = ContiguousArray<Element>()
    compact.reserveCapacity(array.count)
    compact.append(contentsOf: array)
    return compact
  }

  /// Whether the initializer used the sections that were passed as `known`.
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
        sectionName.map({ sectionName in
          SectionNames.areSame(sectionName(sorted[first]), section.name)
            && SectionNames.areSame(sectionName(sorted[last]), section.name)
        }) ?? true
      else { return false }
      first = last + 1
    }
    return first == sorted.count
  }

  deinit { releaseObjects() }

  /// Releases the objects if the list owns them, and empties the sections, because a section may outlive the
  /// list.
  private func releaseObjects() {
    for section in sections {
      if ownsObjects {
        for leaf in section.leaves {
          leaf.objects.withElements { for object in $0 { object.release() } }
        }
      }
      section.empty()
    }
  }

  // MARK: Frozen lists

  /// Returns a copy of the list in its current state; the copy can be read while this list changes.
  ///
  /// The copy does not retain its objects. Before any of them can be deallocated, call `keepObjects()` on the
  /// copy or release the copy.
  /// - Complexity: O(n/512 + sections).
  package func frozen() -> ResultsList {
    ResultsList(frozen: self)
  }

  private init(frozen list: ResultsList) {
    rules = list.rules
    count = list.count
    revision = list.revision
    ownsObjects = false
    if rules.sectionName != nil {
      sectionsByName = SectionTable(minimumCapacity: list.sections.count)
    }
    for section in list.sections {
      let copy = makeSection(section.name, at: section.index)
      copy.objects = section.objects
      copy.setOthers(ContiguousArray(section.others.map { makeLeaf(copy, $0.objects) }))
      sections.append(copy)
      if rules.sectionName != nil { sectionsByName[copy.name] = copy }
    }
  }

  /// Makes a frozen list retain its objects, all of which must still be alive.
  package func keepObjects() {
    if ownsObjects { return }
    ownsObjects = true
    for section in sections {
      for leaf in section.leaves {
        leaf.objects.withElements { for object in $0 { _ = object.retain() } }
      }
    }
  }

  private func close(_ name: String, _ objects: ArraySlice<AnyObject>) {
    let section = makeSection(name, at: sections.count)
    sections.append(section)
    sectionsByName[name] = section
    fill(section, objects)
  }

  private func fill(_ section: ResultsSection, _ objects: ArraySlice<AnyObject>) {
    build(section, ContiguousArray(objects.map { Unmanaged.passRetained($0) }))
    count += objects.count
  }

  // MARK: Reading

  /// Returns the object at a path; stops the program if the path is outside the list.
  ///
  /// - Complexity: O(log n).
  package subscript(path: ResultPath) -> AnyObject { sections[path.section][path.row] }

  /// Returns the path of an object, found by identity; nil if the list does not contain the object.
  ///
  /// - Complexity: O(1) and a search in one block; O(n) if the table of blocks is not built yet.
  package func path(of object: AnyObject) -> ResultPath? {
    location(of: Unmanaged.passUnretained(object)).map { leaf, index in
      ResultPath(section: leaf.section.index, row: leaf.start + index)
    }
  }

  package func contains(_ object: AnyObject) -> Bool {
    location(of: Unmanaged.passUnretained(object)) != nil
  }

  /// All objects, in order.
  ///
  /// - Complexity: O(n).
  package var objects: [AnyObject] {
    var objects: [AnyObject] = []
    objects.reserveCapacity(count)
    for section in sections { section.forEach { objects.append($0) } }
    return objects
  }

  /// Builds the table from objects to blocks now instead of at the first look-up or change.
  ///
  /// - Complexity: O(n); O(1) if the table is already built.
  package func prepare() {
    guard leafTable == nil else { return }
    var table = LeafTable(minimumCapacity: count)
    for section in sections {
      for leaf in section.leaves {
        leaf.objects.withElements { for object in $0 { table.insert(object, leaf: leaf.id) } }
      }
    }
    leafTable = table
  }

  func location(of object: Unmanaged<AnyObject>) -> (leaf: ResultsLeaf, index: Int)? {
    prepare()
    var found: (leaf: ResultsLeaf, index: Int)?
    _ = leafTable?.leaf(of: object) { id in
      guard let leaf = leaves[Int(id)], let index = leaf.objects.index(of: object) else {
        return false
      }
      found = (leaf, index)
      return true
    }
    return found
  }

  // MARK: Leaves

  func leaf(_ id: UInt32) -> ResultsLeaf? { leaves[Int(id)] }

  /// Creates a section without rows; the caller adds it to the list's sections.
  func makeSection(_ name: String, at index: Int) -> ResultsSection {
    let section = ResultsSection(name: name, index: index, id: newLeafID())
    leaves[Int(section.id)] = section
    return section
  }

  private func makeLeaf(_ section: ResultsSection, _ objects: ResultRows) -> ResultsLeaf {
    let leaf = ResultsLeaf(id: newLeafID(), section: section, objects: objects)
    leaves[Int(leaf.id)] = leaf
    return leaf
  }

  func build(_ section: ResultsSection, _ objects: ContiguousArray<Unmanaged<AnyObject>>) {
    let share = Self.share(objects.count)
    section.objects = ResultRows(objects[..<share])
    registerAll(section)
    section.setOthers(cut(objects[share...], share, section))
  }

  private func registerAll(_ leaf: ResultsLeaf) {
    if leafTable == nil { return }
    leaf.objects.withElements { for object in $0 { register(object, leaf) } }
  }

  func register(_ object: Unmanaged<AnyObject>, _ leaf: ResultsLeaf) {
    leafTable?.insert(object, leaf: leaf.id)
  }

  func unregister(_ object: Unmanaged<AnyObject>, _ leaf: ResultsLeaf) {
    leafTable?.remove(object, leaf: leaf.id)
  }

  /// Removes empty leaves, merges small adjacent leaves, splits long leaves, and updates the start of each
  /// leaf.
  ///
  /// - Complexity: O(leaves of the section + rows of the leaves that are merged or split).
  func rebalance(_ section: ResultsSection) {
    guard section.leaves.contains(where: { needsRebalancing($0, in: section) }) else {
      return section.renumber()
    }
    let leaves = section.others
    var last: ResultsLeaf = section
    var tidied: ContiguousArray<ResultsLeaf> = []
    func shortenLast() {
      guard last.objects.count > ResultsLeaf.limit else { return }
      tidied.append(contentsOf: shorten(last))
      last = tidied.last ?? last
    }
    shortenLast()
    for leaf in leaves {
      if last.objects.isEmpty || last.objects.count + leaf.objects.count <= ResultsLeaf.limit / 2 {
        move(leaf, behind: last)
        free(leaf)
      } else if leaf.objects.isEmpty {
        free(leaf)
      } else {
        tidied.append(leaf)
        last = leaf
      }
      shortenLast()
    }
    section.setOthers(tidied)
  }

  private func move(_ leaf: ResultsLeaf, behind last: ResultsLeaf) {
    leaf.objects.withElements { objects in
      for object in objects {
        unregister(object, leaf)
        register(object, last)
      }
    }
    last.objects.append(leaf.objects)
  }

  private func needsRebalancing(_ leaf: ResultsLeaf, in section: ResultsSection) -> Bool {
    let size = leaf.objects.count
    return size > ResultsLeaf.limit || size < ResultsLeaf.limit / 8 && !section.others.isEmpty
  }

  private func shorten(_ leaf: ResultsLeaf) -> ContiguousArray<ResultsLeaf> {
    let rest = leaf.objects.cutOff(from: Self.share(leaf.objects.count))
    for object in rest { unregister(object, leaf) }
    return cut(rest[...], Self.share(rest.count), leaf.section)
  }

  private func cut(
    _ objects: ArraySlice<Unmanaged<AnyObject>>,
    _ share: Int,
    _ section: ResultsSection
  ) -> ContiguousArray<ResultsLeaf> {
    var result: ContiguousArray<ResultsLeaf> = []
    var first = objects.startIndex
    while first < objects.endIndex {
      let last = min(first + share, objects.endIndex)
      let leaf = makeLeaf(section, ResultRows(objects[first..<last]))
      registerAll(leaf)
      result.append(leaf)
      first = last
    }
    return result
  }

  private static func share(_ count: Int) -> Int {
    let parts = max(1, (count + ResultsLeaf.fill - 1) / ResultsLeaf.fill)
    return (count + parts - 1) / parts
  }

  private func newLeafID() -> UInt32 {
    if let id = freeLeaves.popLast() { return id }
    leaves.append(nil)
    return UInt32(leaves.count - 1)
  }

  func free(_ leaf: ResultsLeaf) {
    leaves[Int(leaf.id)] = nil
    freeLeaves.append(leaf.id)
  }
}
