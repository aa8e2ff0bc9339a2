// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Programmer errors that concern fetched results controllers.
extension Misuse {
  package static func resultsWithoutOrder() -> Never {
    fatalError(
      "An instance of NSFetchedResultsController requires a fetch request with sort descriptors"
    )
  }

  package static func resultsNotFetched() -> Never {
    fatalError(
      "The fetched results controller has not fetched its objects yet; call performFetch() first."
    )
  }

  package static func noObject(at path: IndexPath, sections: Int, rows: Int?) -> Never {
    guard let rows else {
      fatalError(
        "no section at index \(path.first ?? 0) in sections list (number of sections: \(sections))"
      )
    }
    fatalError(
      "no object at index \(path.count > 1 ? path[1] : 0) in section at index "
        + "\(path.first ?? 0) (number of rows: \(rows))"
    )
  }

  package static func indexPathIsNotRow(_ path: IndexPath) -> Never {
    fatalError(
      "Invalid index path for use with UITableView. Index paths passed to table view must contain "
        + "exactly two indices specifying the section and row; this one has \(path.count)."
    )
  }

  package static func indexTitleMismatch(_ title: String, at index: Int, titles: [String]) -> Never
  {
    fatalError(
      titles.indices.contains(index)
        ? "Index title at \(index) is not equal to '\(title)'; it is '\(titles[index])'"
        : "Index title at \(index) is not equal to '\(title)'; number of titles: \(titles.count)"
    )
  }
}

/// Programmer errors that concern snapshots.
extension Misuse {
  package static func unknownIdentifier(_ identifier: Any) -> Never {
    fatalError("Invalid parameter: the identifier \(identifier) is not in the snapshot")
  }

  package static func identifiersAreNotUnique(_ identifiers: [Any]) -> Never {
    fatalError("Supplied identifiers are not unique. Duplicate identifiers: \(identifiers)")
  }

  package static func snapshotHasNoSections() -> Never {
    fatalError("There are currently no sections in the data source. Please add a section first.")
  }

  package static func identifierOfOtherType(_ identifier: Any, _ type: Any.Type) -> Never {
    fatalError("The identifier \(identifier) is a \(Swift.type(of: identifier)), not a \(type)")
  }
}
