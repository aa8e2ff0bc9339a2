// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A snapshot that a results controller passes to its delegate; identifiers can be of any hashable type.
///
/// `NSDiffableDataSourceSnapshot<String, NSManagedObjectID>(snapshot)` creates the typed form. Each method
/// stops the program in the same cases as the method of the typed form, and also if an identifier is not
/// hashable.
///
/// Source: documented, “NSDiffableDataSourceSnapshotReference”.
open class NSDiffableDataSourceSnapshotReference: NSObject, NSCopying {
  typealias Content = NSDiffableDataSourceSnapshot<AnyHashable, AnyHashable>

  private enum State {
    case content(Content)
    /// A function that creates the content when the content is first read.
    case source(() -> Content)
  }
  // The lock is needed because a data source may read the snapshot on another thread while the delegate is
  // still being called.
  private let lock = NSRecursiveLock()
  private var state: State

  /// Creates an empty snapshot.
  public override init() { state = .content(Content()) }

  init(_ source: @escaping () -> Content) { state = .source(source) }

  /// Creates the content if it does not exist yet, because the list from which it is created may change
  /// later.
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

  /// Returns a separate snapshot with the same content.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSDiffableDataSourceSnapshotReference()
    copy.content = content
    return copy
  }

  private static func hashable(_ identifier: Any) -> AnyHashable {
    guard let hashable = identifier as? AnyHashable else {
      Misuse.identifierIsNotHashable(identifier)
    }
    return hashable
  }
  private static func hashable(_ identifiers: [Any]) -> [AnyHashable] { identifiers.map(hashable) }

  // MARK: Reading

  /// The number of items in all sections.
  open var numberOfItems: Int { content.numberOfItems }
  /// The number of sections.
  open var numberOfSections: Int { content.numberOfSections }
  /// The identifiers of the sections, in order.
  open var sectionIdentifiers: [Any] { content.sectionIdentifiers.map(\.base) }
  /// The identifiers of all items, in order.
  open var itemIdentifiers: [Any] { content.itemIdentifiers.map(\.base) }
  /// The identifiers of the items whose cells must be reloaded, such as objects that changed in place.
  open var reloadedItemIdentifiers: [Any] { content.reloadedItemIdentifiers.map(\.base) }
  /// The identifiers of the items whose existing cells must be updated, such as objects whose rows moved.
  open var reconfiguredItemIdentifiers: [Any] { content.reconfiguredItemIdentifiers.map(\.base) }
  /// The identifiers of the sections that must be reloaded.
  open var reloadedSectionIdentifiers: [Any] { content.reloadedSectionIdentifiers.map(\.base) }

  /// Returns the number of items in a section; stops the program if there is no such section.
  open func numberOfItems(inSection sectionIdentifier: Any) -> Int {
    content.numberOfItems(inSection: Self.hashable(sectionIdentifier))
  }
  /// Returns the identifiers of a section's items, in order; stops the program if there is no such section.
  open func itemIdentifiersInSection(withIdentifier sectionIdentifier: Any) -> [Any] {
    content.itemIdentifiers(inSection: Self.hashable(sectionIdentifier)).map(\.base)
  }
  /// Returns the identifier of the section that contains an item, or nil if there is no such item.
  open func sectionIdentifier(
    forSectionContainingItemIdentifier itemIdentifier: Any
  ) -> Any? {
    content.sectionIdentifier(containingItem: Self.hashable(itemIdentifier))?.base
  }
  /// Returns the index of an item among all items, or `NSNotFound` if there is no such item.
  open func index(ofItemIdentifier itemIdentifier: Any) -> Int {
    content.indexOfItem(Self.hashable(itemIdentifier)) ?? NSNotFound
  }
  /// Returns the index of a section, or `NSNotFound` if there is no such section.
  open func index(ofSectionIdentifier sectionIdentifier: Any) -> Int {
    content.indexOfSection(Self.hashable(sectionIdentifier)) ?? NSNotFound
  }

  // MARK: Items

  /// Appends items to the last section; stops the program if there are no sections.
  open func appendItems(withIdentifiers identifiers: [Any]) {
    content.appendItems(Self.hashable(identifiers))
  }
  /// Appends items to a section; stops the program if there is no such section.
  open func appendItems(
    withIdentifiers identifiers: [Any],
    intoSectionWithIdentifier sectionIdentifier: Any
  ) {
    content.appendItems(
      Self.hashable(identifiers),
      toSection: Self.hashable(sectionIdentifier)
    )
  }
  /// Inserts items directly before an item, in the section of that item.
  open func insertItems(
    withIdentifiers identifiers: [Any],
    beforeItemWithIdentifier itemIdentifier: Any
  ) {
    content.insertItems(Self.hashable(identifiers), beforeItem: Self.hashable(itemIdentifier))
  }
  /// Inserts items directly after an item, in the section of that item.
  open func insertItems(
    withIdentifiers identifiers: [Any],
    afterItemWithIdentifier itemIdentifier: Any
  ) {
    content.insertItems(Self.hashable(identifiers), afterItem: Self.hashable(itemIdentifier))
  }
  /// Deletes items; unknown identifiers are ignored.
  open func deleteItems(withIdentifiers identifiers: [Any]) {
    content.deleteItems(Self.hashable(identifiers))
  }
  /// Deletes all items and all sections.
  open func deleteAllItems() { content.deleteAllItems() }
  /// Moves an item directly before another item, in the section of the other item.
  open func moveItem(
    withIdentifier fromIdentifier: Any,
    beforeItemWithIdentifier toIdentifier: Any
  ) {
    content.moveItem(Self.hashable(fromIdentifier), beforeItem: Self.hashable(toIdentifier))
  }
  /// Moves an item directly after another item, in the section of the other item.
  open func moveItem(
    withIdentifier fromIdentifier: Any,
    afterItemWithIdentifier toIdentifier: Any
  ) {
    content.moveItem(Self.hashable(fromIdentifier), afterItem: Self.hashable(toIdentifier))
  }
  /// Marks items so that their cells are reloaded.
  open func reloadItems(withIdentifiers identifiers: [Any]) {
    content.reloadItems(Self.hashable(identifiers))
  }
  /// Marks items so that their existing cells are updated.
  open func reconfigureItems(withIdentifiers identifiers: [Any]) {
    content.reconfigureItems(Self.hashable(identifiers))
  }

  // MARK: Sections

  /// Appends sections without items.
  open func appendSections(withIdentifiers sectionIdentifiers: [Any]) {
    content.appendSections(Self.hashable(sectionIdentifiers))
  }
  /// Inserts sections without items directly before another section.
  open func insertSections(
    withIdentifiers sectionIdentifiers: [Any],
    beforeSectionWithIdentifier toSectionIdentifier: Any
  ) {
    content.insertSections(
      Self.hashable(sectionIdentifiers),
      beforeSection: Self.hashable(toSectionIdentifier)
    )
  }
  /// Inserts sections without items directly after another section.
  open func insertSections(
    withIdentifiers sectionIdentifiers: [Any],
    afterSectionWithIdentifier toSectionIdentifier: Any
  ) {
    content.insertSections(
      Self.hashable(sectionIdentifiers),
      afterSection: Self.hashable(toSectionIdentifier)
    )
  }
  /// Deletes sections and their items; unknown identifiers are ignored.
  open func deleteSections(withIdentifiers sectionIdentifiers: [Any]) {
    content.deleteSections(Self.hashable(sectionIdentifiers))
  }
  /// Moves a section and its items directly before another section.
  open func moveSection(
    withIdentifier fromSectionIdentifier: Any,
    beforeSectionWithIdentifier toSectionIdentifier: Any
  ) {
    content.moveSection(
      Self.hashable(fromSectionIdentifier),
      beforeSection: Self.hashable(toSectionIdentifier)
    )
  }
  /// Moves a section and its items directly after another section.
  open func moveSection(
    withIdentifier fromSectionIdentifier: Any,
    afterSectionWithIdentifier toSectionIdentifier: Any
  ) {
    content.moveSection(
      Self.hashable(fromSectionIdentifier),
      afterSection: Self.hashable(toSectionIdentifier)
    )
  }
  /// Marks sections so that they are reloaded.
  open func reloadSections(withIdentifiers sectionIdentifiers: [Any]) {
    content.reloadSections(Self.hashable(sectionIdentifiers))
  }
}
