// SPDX-License-Identifier: Apache-2.0

import _CoreDataPredicate
import _CoreDataStore

/// A collation that this library registers with SQLite, for a sort order other than the order of bytes.
package enum Collation: String, CaseIterable, Sendable {
  case caseInsensitive = "NSCollateNoCase"
  case localized = "NSCollateLocaleSensitive"
  case localizedCaseInsensitive = "NSCollateNoCaseLocaleSensitive"
  case localizedStandard = "NSCollateFinderlike"

  /// Creates the collation for the comparison of a sort key; nil for the standard comparison.
  ///
  /// - Throws: `StoreError.inexpressible` for a comparator block, because SQL cannot call it.
  init?(_ comparison: SortKey.Comparison) throws {
    switch comparison {
    case .standard: return nil
    case .caseInsensitive: self = .caseInsensitive
    case .localized: self = .localized
    case .localizedCaseInsensitive: self = .localizedCaseInsensitive
    case .localizedStandard: self = .localizedStandard
    case .opaque:
      throw StoreError(
        .inexpressible,
        "unsupported NSSortDescriptor (comparator blocks are not supported)"
      )
    }
  }
}
