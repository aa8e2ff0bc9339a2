// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension [Condition] {
  /// Fewer comparisons of one term than this stay as they are.
  private static var fewest: Int { 5 }

  /// The members of an OR with its many `x == constant` as one `x IN {…}` each; with `.notEqual` the members
  /// of an AND with its many `x != constant` as one `NOT x IN {…}` each.
  ///
  /// It says the same, and what asks it hashes the constants once.
  /// - Parameters:
  ///   - relation: `.equal` for an OR, `.notEqual` for an AND.
  ///   - canGather: Whether the comparisons of a term may be gathered; asked once for each term.
  /// - Returns: The members, those of a term in the place of the first of them.
  /// - Throws: What `canGather` throws.
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
      // The others of the term are in the list.
      constants[comparison.left] = []
    }
    return result
  }
}

extension Comparison {
  /// The constant of a plain comparison of a key path with it; nil for every other comparison.
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
    // It is equal to nothing, but a list holds it.
    case .double(let number) where number.isNaN: return nil
    default: return constant.value
    }
  }
}
