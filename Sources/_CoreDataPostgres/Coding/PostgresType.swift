// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataSQL

/// The object identifiers of the types that this module sends and reads in their binary forms.
///
/// Source: PostgreSQL, `pg_type`; the numbers of built-in types do not change.
package enum PostgresType {
  package static let boolean: UInt32 = 16
  package static let bytea: UInt32 = 17
  package static let bigint: UInt32 = 20
  package static let smallint: UInt32 = 21
  package static let integer: UInt32 = 23
  package static let text: UInt32 = 25
  package static let real: UInt32 = 700
  package static let double: UInt32 = 701
  package static let bigintArray: UInt32 = 1016
  package static let byteaArray: UInt32 = 1001
  package static let textArray: UInt32 = 1009
  package static let numeric: UInt32 = 1700
  package static let record: UInt32 = 2249
  package static let uuid: UInt32 = 2950
  package static let transaction: UInt32 = 5069

  /// Returns the object identifier of a type of a statement's values.
  static func number(of type: ServerType) -> UInt32 {
    switch type {
    case .boolean: boolean
    case .numeric: numeric
    case .uuid: uuid
    case .integers: bigintArray
    case .reals: 1022
    case .numerics: 1231
    case .texts: 1009
    case .uuids: 2951
    case .blobs: 1001
    }
  }
}
#endif
