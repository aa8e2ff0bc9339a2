// SPDX-License-Identifier: Apache-2.0

import _CoreDataPredicate

/// A call of `CDValue(code, arguments…)`, the SQL function that evaluates a function of expressions.
///
/// `CDValue` runs the code that also evaluates the function in memory, so the results agree. It returns NULL
/// where that code returns null or NaN, or throws an error.
package struct ValueCall: Hashable, Sendable {
  package static let name = "CDValue"
  /// The kind of value that `CDValue` reads from an argument; `.none` for a type that it cannot read.
  package enum Kind: Int64, Sendable {
    case none, number, boolean, real, date, text, url, uuid, data
  }
  package let function: Function
  package let kinds: [Kind]
  private let number: Int

  /// Creates a call; nil if `Function.allCases` does not contain the function.
  package init?(_ function: Function, _ kinds: [Kind]) {
    guard let number = Self.numbers[function] else { return nil }
    self.function = function
    self.kinds = kinds
    self.number = number
  }

  /// The first argument of `CDValue`: a number that encodes the function and the kinds of its arguments.
  ///
  /// The code is only valid within one process; it is never stored in a file.
  package var code: Int64 {
    kinds.reversed().reduce(0) { $0 << 4 | $1.rawValue } << 8 | Int64(number)
  }

  /// Creates the call that a code describes; nil if the code does not contain a valid function index.
  package init?(code: Int64, arguments: Int) {
    let number = Int(code & 0xFF)
    guard code >= 0, Function.allCases.indices.contains(number) else { return nil }
    self.number = number
    function = Function.allCases[number]
    kinds = (0..<arguments).map { Kind(rawValue: code >> (8 + 4 * Int64($0)) & 0xF) ?? .none }
  }

  private static let numbers = Dictionary(
    uniqueKeysWithValues: zip(Function.allCases, Function.allCases.indices)
  )
}

extension ValueType {
  /// The kind of value that `CDValue` reads from a column of this type; `.none` if it cannot read the type.
  var callKind: ValueCall.Kind {
    switch self {
    case .integer, .number, .mixed, .computed: .number
    case .boolean: .boolean
    case .real: .real
    case .date: .date
    case .text: .text
    case .url: .url
    case .uuid: .uuid
    case .data: .data
    case .decimal, .sealed, .reference, .entity, .any: .none
    }
  }
}
