// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Misuse {
  package static func resultsWithoutOrder() -> Never {
    fatalError(
      "An instance of NSFetchedResultsController requires a fetch request with sort descriptors. Set "
        + "sortDescriptors; an empty array is allowed if the order does not matter."
    )
  }

  /// Stops the program because a row was read while the controller had no content.
  ///
  /// `hasBegunFetch` is true if `performFetch()` was called at least once.
  package static func resultsNotFetched(hasBegunFetch: Bool) -> Never {
    fatalError(
      hasBegunFetch
        ? "The fetched results controller has no objects, because its last performFetch() has failed or has "
          + "not returned yet. Handle the error of performFetch() before you read rows."
        : "The fetched results controller has not fetched its objects yet. Call performFetch() first."
    )
  }

  static func noSection(at index: Int, count: Int) -> Never {
    fatalError("no section at index \(index) in sections list; \(validIndexes("sections", count))")
  }

  static func noObject(at index: Int, section: Int, count: Int) -> Never {
    fatalError(
      "no object at index \(index) in section at index \(section); \(validIndexes("objects", count))"
    )
  }

  package static func indexPathIsNotRow(_ path: IndexPath) -> Never {
    fatalError(
      "Invalid index path for use with UITableView. Index paths passed to table view must contain "
        + "exactly two indices specifying the section and row; this one is \(Array(path))."
    )
  }

  package static func indexTitleMismatch(_ title: String, at index: Int, titles: [String]) -> Never
  {
    fatalError(
      "Index title at \(index) is not equal to '\(title)'; "
        + (titles.indices.contains(index)
          ? "it is '\(titles[index])'" : validIndexes("index titles", titles.count))
    )
  }

  private static func validIndexes(_ things: String, _ count: Int) -> String {
    switch count {
    case 0: "there are no \(things)"
    case 1: "the only valid index is 0"
    default: "the valid indexes are 0 to \(count - 1)"
    }
  }
}

extension Misuse {
  enum IdentifierKind: String { case item, section }

  static func unknownIdentifier(_ identifier: Any, _ kind: IdentifierKind) -> Never {
    fatalError(
      "Invalid parameter: the \(kind.rawValue) identifier \(identifier) is not in the snapshot. Append the "
        + "\(kind.rawValue) first."
    )
  }

  static func identifiersAreNotUnique(_ duplicates: [Any], _ kind: IdentifierKind) -> Never {
    fatalError(
      "Supplied \(kind.rawValue) identifiers are not unique. Duplicate identifiers: \(duplicates)"
    )
  }

  static func identifierExists(_ identifier: Any, _ kind: IdentifierKind) -> Never {
    fatalError(
      "Supplied \(kind.rawValue) identifiers are not unique. The \(kind.rawValue) identifier "
        + "\(identifier) is already in the snapshot. Move the existing \(kind.rawValue), or delete it first."
    )
  }

  static func movedBesidesItself(_ identifier: Any, _ kind: IdentifierKind) -> Never {
    fatalError(
      "Invalid parameter: the \(kind.rawValue) \(identifier) cannot be moved before or after itself"
    )
  }

  static func snapshotHasNoSections() -> Never {
    fatalError("There are currently no sections in the data source. Please add a section first.")
  }

  static func identifierIsNotHashable(_ identifier: Any) -> Never {
    fatalError(
      "The identifier \(identifier) cannot be used with a snapshot, because its type "
        + "\(Swift.type(of: identifier)) is not Hashable. Make the type Hashable, or use an object ID."
    )
  }

  static func identifierOfOtherType(
    _ identifier: Any,
    _ kind: IdentifierKind,
    expected: Any.Type
  ) -> Never {
    fatalError(
      "The \(kind.rawValue) identifier \(identifier) has the type \(Swift.type(of: identifier)), but the "
        + "\(kind.rawValue) identifiers of the typed snapshot have the type \(expected)"
    )
  }
}

extension Sequence where Element: Hashable {
  /// The distinct elements that occur more than once.
  var duplicates: [Element] {
    var seen: Set<Element> = []
    var found: Set<Element> = []
    return filter { !seen.insert($0).inserted && found.insert($0).inserted }
  }
}
