// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

extension ConditionCompiler {
  func order(_ key: SortKey, in scope: Scope) throws -> SQL {
    switch try operand(.keyPath(key.keyPath), in: scope) {
    case .column(_, .sealed), .column(_, .entity):
      throw unsupported("sorting by \(key.keyPath), whose values have no order")
    case .column(let piece, let type): return try order(TypedPiece(piece, type), key)
    case .members(let source):
      throw StoreError(
        .invalidRequest,
        "to-many key not allowed here: \(key.keyPath) of entity \(described(source.path.start)) is a sort "
          + "key; sort by an attribute, a to-one or a collection operator such as @count"
      )
    default:
      throw StoreError(
        .invalidRequest,
        "cannot sort by \(key.keyPath): it is not an attribute or a to-one relationship"
      )
    }
  }

  func order(_ piece: TypedPiece, _ key: SortKey) throws -> SQL {
    do {
      return try dialect.order(piece, key.comparison, ascending: key.ascending)
    } catch let error as Unsayable {
      throw unsupported(error.what)
    }
  }
}

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
