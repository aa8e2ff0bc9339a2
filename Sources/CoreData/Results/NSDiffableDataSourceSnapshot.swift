// SPDX-License-Identifier: Apache-2.0

// Apple declares this type in UIKit and AppKit. On systems without those frameworks, the delegate of a
// fetched results controller needs this type too.
/// The content of a table view or collection view: the identifiers of the sections, and of the items in each
/// section.
///
/// Section identifiers are unique, and item identifiers are unique across all sections. A method stops the
/// program if it would add an identifier twice, if it would move an item or section before or after itself,
/// or, unless documented otherwise, if an identifier is not in the snapshot.
///
/// Source: documented, “NSDiffableDataSourceSnapshot”.
public struct NSDiffableDataSourceSnapshot<
  SectionIdentifierType: Hashable,
  ItemIdentifierType: Hashable
> {
  private var sections: [(name: SectionIdentifierType, items: [ItemIdentifierType])] = []
  /// The identifiers of the items whose cells must be reloaded.
  public internal(set) var reloadedItemIdentifiers: [ItemIdentifierType] = []
  /// The identifiers of the items whose existing cells must be updated.
  public internal(set) var reconfiguredItemIdentifiers: [ItemIdentifierType] = []
  /// The identifiers of the sections that must be reloaded.
  public internal(set) var reloadedSectionIdentifiers: [SectionIdentifierType] = []

  /// Creates a snapshot without sections.
  public init() {}

  /// Creates a snapshot without checking that the identifiers are unique.
  init(unique sections: [(SectionIdentifierType, [ItemIdentifierType])]) {
    self.sections = sections.map { (name: $0.0, items: $0.1) }
  }

  // MARK: Reading

  /// The number of sections.
  public var numberOfSections: Int { sections.count }
  /// The identifiers of the sections, in order.
  public var sectionIdentifiers: [SectionIdentifierType] { sections.map(\.name) }
  /// The number of items in all sections.
  ///
  /// - Complexity: O(sections).
  public var numberOfItems: Int { sections.reduce(0) { $0 + $1.items.count } }
  /// The identifiers of all items, in order.
  public var itemIdentifiers: [ItemIdentifierType] { sections.flatMap(\.items) }

  /// Returns the number of items in a section; stops the program if there is no such section.
  public func numberOfItems(inSection identifier: SectionIdentifierType) -> Int {
    sections[position(identifier)].items.count
  }
  /// Returns the identifiers of a section's items, in order; stops the program if there is no such section.
  public func itemIdentifiers(inSection identifier: SectionIdentifierType) -> [ItemIdentifierType] {
    sections[position(identifier)].items
  }
  /// Returns the identifier of the section that contains an item, or nil if there is no such item.
  ///
  /// - Complexity: O(items).
  public func sectionIdentifier(
    containingItem identifier: ItemIdentifierType
  ) -> SectionIdentifierType? {
    position(identifier).map { sections[$0.section].name }
  }
  /// Returns the index of an item among all items, or nil if there is no such item.
  ///
  /// - Complexity: O(items).
  public func indexOfItem(_ identifier: ItemIdentifierType) -> Int? {
    position(identifier).map { position in
      sections[..<position.section].reduce(position.item) { $0 + $1.items.count }
    }
  }
  /// Returns the index of a section, or nil if there is no such section.
  ///
  /// - Complexity: O(sections).
  public func indexOfSection(_ identifier: SectionIdentifierType) -> Int? {
    sections.firstIndex { $0.name == identifier }
  }

  private func position(_ item: ItemIdentifierType) -> (section: Int, item: Int)? {
    for section in sections.indices {
      if let index = sections[section].items.firstIndex(of: item) { return (section, index) }
    }
    return nil
  }
  private func requiredPosition(_ item: ItemIdentifierType) -> (section: Int, item: Int) {
    guard let position = position(item) else { Misuse.unknownIdentifier(item, .item) }
    return position
  }
  private func position(_ section: SectionIdentifierType) -> Int {
    guard let index = indexOfSection(section) else { Misuse.unknownIdentifier(section, .section) }
    return index
  }

  // MARK: Items

  /// Appends items to a section, or to the last section if `sectionIdentifier` is nil; stops the program if
  /// there are no sections.
  public mutating func appendItems(
    _ identifiers: [ItemIdentifierType],
    toSection sectionIdentifier: SectionIdentifierType? = nil
  ) {
    guard let last = sections.indices.last else { Misuse.snapshotHasNoSections() }
    checkUnique(identifiers)
    sections[sectionIdentifier.map(position) ?? last].items += identifiers
  }
  /// Inserts items directly before an item, in the section of that item.
  public mutating func insertItems(
    _ identifiers: [ItemIdentifierType],
    beforeItem beforeIdentifier: ItemIdentifierType
  ) {
    checkUnique(identifiers)
    let position = requiredPosition(beforeIdentifier)
    sections[position.section].items.insert(contentsOf: identifiers, at: position.item)
  }
  /// Inserts items directly after an item, in the section of that item.
  public mutating func insertItems(
    _ identifiers: [ItemIdentifierType],
    afterItem afterIdentifier: ItemIdentifierType
  ) {
    checkUnique(identifiers)
    let position = requiredPosition(afterIdentifier)
    sections[position.section].items.insert(contentsOf: identifiers, at: position.item + 1)
  }
  /// Deletes items; unknown identifiers are ignored.
  public mutating func deleteItems(_ identifiers: [ItemIdentifierType]) {
    let gone = Set(identifiers)
    for section in sections.indices {
      sections[section].items.removeAll(where: gone.contains)
    }
    reloadedItemIdentifiers.removeAll(where: gone.contains)
    reconfiguredItemIdentifiers.removeAll(where: gone.contains)
  }
  /// Deletes all items and all sections.
  public mutating func deleteAllItems() { self = Self() }
  /// Moves an item directly before another item, in the section of the other item.
  public mutating func moveItem(
    _ identifier: ItemIdentifierType,
    beforeItem toIdentifier: ItemIdentifierType
  ) {
    removeItem(identifier, besides: toIdentifier)
    let position = requiredPosition(toIdentifier)
    sections[position.section].items.insert(identifier, at: position.item)
  }
  /// Moves an item directly after another item, in the section of the other item.
  public mutating func moveItem(
    _ identifier: ItemIdentifierType,
    afterItem toIdentifier: ItemIdentifierType
  ) {
    removeItem(identifier, besides: toIdentifier)
    let position = requiredPosition(toIdentifier)
    sections[position.section].items.insert(identifier, at: position.item + 1)
  }
  /// Marks items so that their cells are reloaded.
  public mutating func reloadItems(_ identifiers: [ItemIdentifierType]) {
    for identifier in identifiers { _ = requiredPosition(identifier) }
    reloadedItemIdentifiers += identifiers
  }
  /// Marks items so that their existing cells are updated.
  public mutating func reconfigureItems(_ identifiers: [ItemIdentifierType]) {
    for identifier in identifiers { _ = requiredPosition(identifier) }
    reconfiguredItemIdentifiers += identifiers
  }

  private mutating func removeItem(_ item: ItemIdentifierType, besides other: ItemIdentifierType) {
    let position = requiredPosition(item)
    if item == other { Misuse.movedBesidesItself(item, .item) }
    sections[position.section].items.remove(at: position.item)
  }

  private func checkUnique(_ identifiers: [ItemIdentifierType]) {
    let new = Set(identifiers)
    if new.count != identifiers.count {
      Misuse.identifiersAreNotUnique(identifiers.duplicates, .item)
    }
    for section in sections {
      if let item = section.items.first(where: new.contains) {
        Misuse.identifierExists(item, .item)
      }
    }
  }

  // MARK: Sections

  /// Appends sections without items.
  public mutating func appendSections(_ identifiers: [SectionIdentifierType]) {
    insert(identifiers, at: sections.count)
  }
  /// Inserts sections without items directly before another section.
  public mutating func insertSections(
    _ identifiers: [SectionIdentifierType],
    beforeSection toIdentifier: SectionIdentifierType
  ) { insert(identifiers, at: position(toIdentifier)) }
  /// Inserts sections without items directly after another section.
  public mutating func insertSections(
    _ identifiers: [SectionIdentifierType],
    afterSection toIdentifier: SectionIdentifierType
  ) { insert(identifiers, at: position(toIdentifier) + 1) }
  /// Deletes sections and their items; unknown identifiers are ignored.
  public mutating func deleteSections(_ identifiers: [SectionIdentifierType]) {
    let gone = Set(identifiers)
    deleteItems(sections.filter { gone.contains($0.name) }.flatMap(\.items))
    sections.removeAll { gone.contains($0.name) }
    reloadedSectionIdentifiers.removeAll(where: gone.contains)
  }
  /// Moves a section and its items directly before another section.
  public mutating func moveSection(
    _ identifier: SectionIdentifierType,
    beforeSection toIdentifier: SectionIdentifierType
  ) {
    if identifier == toIdentifier { Misuse.movedBesidesItself(identifier, .section) }
    let section = sections.remove(at: position(identifier))
    sections.insert(section, at: position(toIdentifier))
  }
  /// Moves a section and its items directly after another section.
  public mutating func moveSection(
    _ identifier: SectionIdentifierType,
    afterSection toIdentifier: SectionIdentifierType
  ) {
    if identifier == toIdentifier { Misuse.movedBesidesItself(identifier, .section) }
    let section = sections.remove(at: position(identifier))
    sections.insert(section, at: position(toIdentifier) + 1)
  }
  /// Marks sections so that they are reloaded.
  public mutating func reloadSections(_ identifiers: [SectionIdentifierType]) {
    for identifier in identifiers { _ = position(identifier) }
    reloadedSectionIdentifiers += identifiers
  }

  private mutating func insert(_ identifiers: [SectionIdentifierType], at index: Int) {
    let new = Set(identifiers)
    if new.count != identifiers.count {
      Misuse.identifiersAreNotUnique(identifiers.duplicates, .section)
    }
    if let section = sections.first(where: { new.contains($0.name) }) {
      Misuse.identifierExists(section.name, .section)
    }
    sections.insert(contentsOf: identifiers.map { (name: $0, items: []) }, at: index)
  }
}

extension NSDiffableDataSourceSnapshot: Sendable
where SectionIdentifierType: Sendable, ItemIdentifierType: Sendable {}

extension NSDiffableDataSourceSnapshot: Equatable {
  /// Whether both snapshots contain the same sections and items in the same order; marks for reloading and
  /// reconfiguring are ignored.
  public static func == (left: Self, right: Self) -> Bool {
    left.sections.elementsEqual(right.sections) { $0.name == $1.name && $0.items == $1.items }
  }
}

extension NSDiffableDataSourceSnapshot {
  /// Creates a typed snapshot from a snapshot with identifiers of any type, such as the one that a delegate
  /// receives.
  ///
  /// Not in Apple's framework.
  ///
  /// In Apple's framework `snapshot as NSDiffableDataSourceSnapshot<…>` has the same result.
  ///
  /// Stops the program if a section or item identifier does not have the type of the typed snapshot.
  public init(_ reference: NSDiffableDataSourceSnapshotReference) {
    func identifier<T>(_ any: Any, _ kind: Misuse.IdentifierKind) -> T {
      guard let identifier = any as? T else {
        Misuse.identifierOfOtherType(any, kind, expected: T.self)
      }
      return identifier
    }
    let content = reference.content
    sections = content.sections.map {
      (identifier($0.name.base, .section), $0.items.map { identifier($0.base, .item) })
    }
    reloadedItemIdentifiers = content.reloadedItemIdentifiers.map { identifier($0.base, .item) }
    reconfiguredItemIdentifiers = content.reconfiguredItemIdentifiers
      .map { identifier($0.base, .item) }
    reloadedSectionIdentifiers = content.reloadedSectionIdentifiers
      .map { identifier($0.base, .section) }
  }

  init<Section, Item>(_ typed: NSDiffableDataSourceSnapshot<Section, Item>)
  where SectionIdentifierType == AnyHashable, ItemIdentifierType == AnyHashable {
    sections = typed.sections.map { (AnyHashable($0.name), $0.items.map { AnyHashable($0) }) }
    reloadedItemIdentifiers = typed.reloadedItemIdentifiers.map { AnyHashable($0) }
    reconfiguredItemIdentifiers = typed.reconfiguredItemIdentifiers.map { AnyHashable($0) }
    reloadedSectionIdentifiers = typed.reloadedSectionIdentifiers.map { AnyHashable($0) }
  }
}
