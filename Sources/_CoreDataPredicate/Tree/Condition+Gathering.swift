// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension [Condition] {
  /// The minimum number of comparisons of one term that an `IN` replaces.
  private static var fewest: Int { 5 }

  /// Returns the members of an OR with many `x == constant` replaced by one `x IN {…}` for each `x`, or the
  /// members of an AND with many `x != constant` replaced by one `NOT x IN {…}` for each `x`.
  ///
  /// The meaning stays the same, but an `IN` finds a value without comparing it with each constant.
  ///
  /// - Parameters:
  ///   - relation: `.equal` for an OR, `.notEqual` for an AND.
  ///   - canGather: Whether the comparisons of a term may be replaced; called at most once for each term.
  /// - Returns: The members; an `IN` is at the index of the first comparison that it replaces.
  /// - Throws: The errors of `canGather`.
  /// - Complexity: O(members).
  package func gathered(
    _ relation: Relation,
    _ canGather: (Term) throws -> Bool
  ) rethrows -> [Condition] {
    if count < Self.fewest { return self }
    var constants: [Term: [Value]] = [:]
    for case .comparison(let comparison) in self {
      guard let constant = comparison.gatherable(relation) else { continue }
      constants[comparison.left, default: []].append(constant)
    }
    constants = try constants.filter { try $1.count >= Self.fewest && canGather($0) }
    if constants.isEmpty { return self }
    var result: [Condition] = []
    for member in self {
      guard case .comparison(let comparison) = member, comparison.gatherable(relation) != nil,
        let values = constants[comparison.left]
      else {
        result.append(member)
        continue
      }
      if values.isEmpty { continue }
      let list = Term.constant(Constant(.collection(ValueCollection(.array, values))))
      let isMember = Condition.comparison(Comparison(comparison.left, .in, list))
      result.append(relation == .equal ? isMember : .not(isMember))
      // The remaining comparisons of the term are dropped, because their constants are in the list.
      constants[comparison.left] = []
    }
    return result
  }
}

extension Comparison {
  /// Returns the constant of the comparison; nil if an `IN` cannot replace the comparison.
  fileprivate func gatherable(_ relation: Relation) -> Value? {
    guard self.relation == relation, modifier == .direct, options.isEmpty,
      case .constant(let constant) = right
    else { return nil }
    switch left {
    case .keyPath, .evaluatedObject, .keyPathOf(.variable, _): break
    default: return nil
    }
    switch constant.value {
    case .collection, .dictionary, .opaque: return nil
    // NaN does not equal itself, but `IN` would find it.
    case .double(let number) where number.isNaN: return nil
    case .date(let seconds) where seconds.isNaN: return nil
    default: return constant.value
    }
  }
}
