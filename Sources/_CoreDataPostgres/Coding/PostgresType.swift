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
  package static let booleanArray: UInt32 = 1000
  package static let byteaArray: UInt32 = 1001
  package static let doubleArray: UInt32 = 1022
  package static let integerArray: UInt32 = 1007
  package static let numericArray: UInt32 = 1231
  package static let textArray: UInt32 = 1009
  package static let uuidArray: UInt32 = 2951
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
    case .reals: doubleArray
    case .numerics: numericArray
    case .texts: textArray
    case .uuids: uuidArray
    case .blobs: byteaArray
    }
  }

  /// Returns the type of arrays of a type that columns have.
  static func array(of element: UInt32) -> UInt32 {
    switch element {
    case boolean: booleanArray
    case integer: integerArray
    case double: doubleArray
    case numeric: numericArray
    case text: textArray
    case uuid: uuidArray
    case bytea: byteaArray
    default: bigintArray
    }
  }

  /// Returns the name of the type of arrays of a type that columns have, for a cast.
  static func arrayName(of element: UInt32) -> String {
    switch element {
    case boolean: "boolean[]"
    case integer: "integer[]"
    case double: "double precision[]"
    case numeric: "numeric[]"
    case text: "text[]"
    case uuid: "uuid[]"
    case bytea: "bytea[]"
    default: "bigint[]"
    }
  }
}
#endif
