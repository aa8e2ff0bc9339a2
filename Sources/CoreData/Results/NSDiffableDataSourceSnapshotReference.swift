// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A snapshot whose identifiers are of any hashable type: what a results controller gives its delegate.
///
/// `NSDiffableDataSourceSnapshot<String, NSManagedObjectID>(snapshot)` is the typed one. Identifiers
/// that cannot be hashed, are given twice or are not there stop the program.
/// Source: documented, “NSDiffableDataSourceSnapshotReference”.
open class NSDiffableDataSourceSnapshotReference: NSObject, NSCopying {
  typealias Content = NSDiffableDataSourceSnapshot<AnyHashable, AnyHashable>

  private enum State {
    case content(Content)
    /// Made when it is first read.
    case source(() -> Content)
  }
  // A data source may read the snapshot on a thread of its own while it is being handed over.
  private let lock = NSRecursiveLock()
  private var state: State

  /// A snapshot without sections.
  public override init() { state = .content(Content()) }

  init(_ source: @escaping () -> Content) { state = .source(source) }

  /// Makes the content now.
  func fill() { _ = content }

  var content: Content {
    get {
      lock.withLock {
        switch state {
        case .content(let content): return content
        case .source(let source):
          let content = source()
          state = .content(content)
          return content
        }
      }
    }
    set { lock.withLock { state = .content(newValue) } }
  }

  /// A snapshot with the same content, to be changed by itself.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSDiffableDataSourceSnapshotReference()
    copy.content = content
    return copy
  }

  private static func hashable(_ identifier: Any) -> AnyHashable {
    guard let hashable = identifier as? AnyHashable else {
      Misuse.identifierOfOtherType(identifier, AnyHashable.self)
    }
    return hashable
  }
  private static func hashable(_ identifiers: [Any]) -> [AnyHashable] { identifiers.map(hashable) }

  // MARK: Reading

  /// Number of items of all sections.
  open var numberOfItems: Int { content.numberOfItems }
  /// Number of sections.
  open var numberOfSections: Int { content.numberOfSections }
  /// The sections, in order.
  open var sectionIdentifiers: [Any] { content.sectionIdentifiers.map(\.base) }
  /// All items, in order.
  open var itemIdentifiers: [Any] { content.itemIdentifiers.map(\.base) }
  /// Items whose rows are to be made anew: those that changed in place.
  open var reloadedItemIdentifiers: [Any] { content.reloadedItemIdentifiers.map(\.base) }
  /// Items whose rows stay and are to show other values: those that moved.
  open var reconfiguredItemIdentifiers: [Any] { content.reconfiguredItemIdentifiers.map(\.base) }
  /// Sections that are to be made anew.
  open var reloadedSectionIdentifiers: [Any] { content.reloadedSectionIdentifiers.map(\.base) }

  /// Number of items of a section.
  open func numberOfItems(inSection sectionIdentifier: Any) -> Int {
    content.numberOfItems(inSection: Self.hashable(sectionIdentifier))
  }
  /// The items of a section, in order.
  open func itemIdentifiersInSection(withIdentifier sectionIdentifier: Any) -> [Any] {
    content.itemIdentifiers(inSection: Self.hashable(sectionIdentifier)).map(\.base)
  }
  /// The section of an item; nil where there is no such item.
  open func sectionIdentifier(
    forSectionContainingItemIdentifier itemIdentifier: Any
  ) -> Any? {
    content.sectionIdentifier(containingItem: Self.hashable(itemIdentifier))?.base
  }
  /// `NSNotFound` where there is no such item.
  open func index(ofItemIdentifier itemIdentifier: Any) -> Int {
    content.indexOfItem(Self.hashable(itemIdentifier)) ?? NSNotFound
  }
  /// `NSNotFound` where there is no such section.
  open func index(ofSectionIdentifier sectionIdentifier: Any) -> Int {
    content.indexOfSection(Self.hashable(sectionIdentifier)) ?? NSNotFound
  }

  // MARK: Items

  /// Appends to the last section.
  open func appendItems(withIdentifiers identifiers: [Any]) {
    content.appendItems(Self.hashable(identifiers))
  }
  /// Appends to a section.
  open func appendItems(
    withIdentifiers identifiers: [Any],
    intoSectionWithIdentifier sectionIdentifier: Any
  ) {
    content.appendItems(
      Self.hashable(identifiers),
      toSection: Self.hashable(sectionIdentifier)
    )
  }
  /// Inserts before an item, in its section.
  open func insertItems(
    withIdentifiers identifiers: [Any],
    beforeItemWithIdentifier itemIdentifier: Any
  ) {
    content.insertItems(Self.hashable(identifiers), beforeItem: Self.hashable(itemIdentifier))
  }
  /// Inserts behind an item, in its section.
  open func insertItems(
    withIdentifiers identifiers: [Any],
    afterItemWithIdentifier itemIdentifier: Any
  ) {
    content.insertItems(Self.hashable(identifiers), afterItem: Self.hashable(itemIdentifier))
  }
  /// Deletes items; those that are not there are passed over.
  open func deleteItems(withIdentifiers identifiers: [Any]) {
    content.deleteItems(Self.hashable(identifiers))
  }
  /// Deletes all items and all sections.
  open func deleteAllItems() { content.deleteAllItems() }
  /// Moves an item before another.
  open func moveItem(
    withIdentifier fromIdentifier: Any,
    beforeItemWithIdentifier toIdentifier: Any
  ) {
    content.moveItem(Self.hashable(fromIdentifier), beforeItem: Self.hashable(toIdentifier))
  }
  /// Moves an item behind another.
  open func moveItem(
    withIdentifier fromIdentifier: Any,
    afterItemWithIdentifier toIdentifier: Any
  ) {
    content.moveItem(Self.hashable(fromIdentifier), afterItem: Self.hashable(toIdentifier))
  }
  /// Marks items to be made anew.
  open func reloadItems(withIdentifiers identifiers: [Any]) {
    content.reloadItems(Self.hashable(identifiers))
  }
  /// Marks items to show other values.
  open func reconfigureItems(withIdentifiers identifiers: [Any]) {
    content.reconfigureItems(Self.hashable(identifiers))
  }

  // MARK: Sections

  /// Appends sections without items.
  open func appendSections(withIdentifiers sectionIdentifiers: [Any]) {
    content.appendSections(Self.hashable(sectionIdentifiers))
  }
  /// Inserts sections without items before another.
  open func insertSections(
    withIdentifiers sectionIdentifiers: [Any],
    beforeSectionWithIdentifier toSectionIdentifier: Any
  ) {
    content.insertSections(
      Self.hashable(sectionIdentifiers),
      beforeSection: Self.hashable(toSectionIdentifier)
    )
  }
  /// Inserts sections without items behind another.
  open func insertSections(
    withIdentifiers sectionIdentifiers: [Any],
    afterSectionWithIdentifier toSectionIdentifier: Any
  ) {
    content.insertSections(
      Self.hashable(sectionIdentifiers),
      afterSection: Self.hashable(toSectionIdentifier)
    )
  }
  /// Deletes sections with their items.
  open func deleteSections(withIdentifiers sectionIdentifiers: [Any]) {
    content.deleteSections(Self.hashable(sectionIdentifiers))
  }
  /// Moves a section with its items before another.
  open func moveSection(
    withIdentifier fromSectionIdentifier: Any,
    beforeSectionWithIdentifier toSectionIdentifier: Any
  ) {
    content.moveSection(
      Self.hashable(fromSectionIdentifier),
      beforeSection: Self.hashable(toSectionIdentifier)
    )
  }
  /// Moves a section with its items behind another.
  open func moveSection(
    withIdentifier fromSectionIdentifier: Any,
    afterSectionWithIdentifier toSectionIdentifier: Any
  ) {
    content.moveSection(
      Self.hashable(fromSectionIdentifier),
      afterSection: Self.hashable(toSectionIdentifier)
    )
  }
  /// Marks sections to be made anew.
  open func reloadSections(withIdentifiers sectionIdentifiers: [Any]) {
    content.reloadSections(Self.hashable(sectionIdentifiers))
  }
}
