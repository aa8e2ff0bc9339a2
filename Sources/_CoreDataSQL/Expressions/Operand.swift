// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// The compiled form of a term.
enum Operand {
  case column(SQL, ValueType)
  case constant(Value)
  case list([Operand])
  case members(MemberSource)

  var kindName: String {
    switch self {
    case .column(_, let type): type.kindName
    case .constant(let value): value.kindName
    case .list, .members: "a collection"
    }
  }
}

extension ValueType {
  init(_ column: PropertyColumn) {
    self = column.isTagged ? .sealed : ValueType(column.kind, root: 0)
  }
}
