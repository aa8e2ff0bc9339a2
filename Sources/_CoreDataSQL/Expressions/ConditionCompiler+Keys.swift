// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// Conditions on object keys, which are bound as primary keys.
extension ConditionCompiler {
  /// Returns the condition for `IN` with a list of more than `listLimit` objects; nil for any other
  /// comparison.
  ///
  /// Also returns nil if the list contains a value that is not an object, or if the column cannot refer to
  /// any object in the list.
  func isOneOfObjects(_ left: Operand, _ comparison: Comparison) -> SQL? {
    guard comparison.relation == .in, comparison.modifier == .direct,
      case .column(let piece, .reference(let root)) = left,
      case .constant(let constant) = comparison.right,
      let members = constant.value.members, members.count > SQL.listLimit,
      let numbers = numbers(of: members, root: root), !numbers.isEmpty
    else { return nil }
    return isOneOf(numbers, piece)
  }

  /// Returns the condition that `piece` is the primary key of one of `keys`.
  ///
  /// Temporary keys, and keys of other stores or hierarchies, are ignored.
  func isOneOf(_ keys: [ObjectKey], of root: Int, _ piece: SQL) -> SQL {
    let isOfRoot = layout.model.entities.map { $0.root == root }
    var numbers: [Int64] = []
    numbers.reserveCapacity(keys.count)
    for key in keys where !key.isTemporary && key.store == storeIndex {
      if key.entity < isOfRoot.count, isOfRoot[key.entity] { numbers.append(key.number) }
    }
    if numbers.count <= SQL.listLimit {
      let few = numbers.map { SQL(bind: .integer($0)) }
      return "\(piece) IN (\(few.joined(separator: ", ")))"
    }
    return isOneOf(numbers, piece)
  }

  private func isOneOf(_ numbers: [Int64], _ piece: SQL) -> SQL {
    dialect.isOne(piece, of: numbers)
  }

  /// Returns the primary keys of the objects in `members`; nil if a member is not an object.
  ///
  /// Objects with a temporary ID, and objects of other stores or hierarchies, are left out.
  private func numbers(of members: [Value], root: Int) -> [Int64]? {
    var numbers: [Int64] = []
    numbers.reserveCapacity(members.count)
    for member in members {
      let key: ObjectKey?
      switch member {
      case .key(let named): key = named
      case .object(let object): key = object.objectKey
      default: return nil
      }
      if let key, let number = number(key, root: root) { numbers.append(number) }
    }
    return numbers
  }

  /// Returns the primary key of the row that a key identifies; nil for a temporary key and for a key of
  /// another store or hierarchy.
  func number(_ key: ObjectKey, root: Int) -> Int64? {
    guard !key.isTemporary, key.store == storeIndex, key.entity < layout.model.entities.count,
      layout.model.entities[key.entity].root == root
    else { return nil }
    return key.number
  }
}
