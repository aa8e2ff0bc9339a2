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
