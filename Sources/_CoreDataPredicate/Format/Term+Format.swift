// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension Term {
  /// The format string of the expression.
  ///
  /// Parsing the format gives an equivalent expression, with the exceptions that `Condition.format` lists.
  package var format: String {
    var text = ""
    write(to: &text)
    return text
  }

  func write(to text: inout String) {
    switch self {
    case .constant(let constant): constant.value.writeFormat(to: &text)
    case .evaluatedObject: text += "SELF"
    case .keyPath(let path): Self.write(path, of: .evaluatedObject, to: &text)
    case .keyPathOf(let base, let path): Self.write(path, of: base, to: &text)
    case .variable(let name): text += "$" + name
    case .assignment(let name, let value):
      text += "$" + name + " := "
      value.write(to: &text)
    case .function(let function, let arguments): Self.write(function, arguments, to: &text)
    case .message(let selector, let receiver, let arguments):
      Self.write(selector, receiver, arguments, to: &text)
    case .aggregate(let members): Self.write(members, "{", "}", to: &text)
    case .subquery(let collection, let variable, let condition):
      text += "SUBQUERY("
      collection.write(to: &text)
      text += ", $" + variable + ", "
      condition.write(to: &text)
      text += ")"
    case .setOperation(let operation, let left, let right):
      left.writeOperand(to: &text)
      text += " " + operation.word + " "
      right.writeOperand(to: &text)
    case .ternary(let condition, let yes, let no):
      text += "TERNARY("
      condition.write(to: &text)
      text += ", "
      Self.write([yes, no], "", ")", to: &text)
    case .anyKey: text += "ANYKEY"
    case .symbolicIndex(let index): text += index.rawValue
    case .fetch(let request, let context, let countOnly):
      let flag = countOnly ? [Term.constant(Constant(.bool(true)))] : []
      Self.write([request, context] + flag, "FETCH(", ")", to: &text)
    case .opaque(let opaque):
      text += "BLOCK(\(UnsafeRawPointer(Unmanaged.passUnretained(opaque).toOpaque())))"
    case .unusable(let reason): text += "<\(reason)>"
    }
  }

  private static func write(_ path: String, of base: Term, to text: inout String) {
    guard KeySpelling.isBare(path) else {
      let name = Term.constant(Constant(.text(path)))
      return write("valueForKeyPath:", base, [name], to: &text)
    }
    if case .evaluatedObject = base {
      text += KeySpelling.escaped(path)
    } else {
      base.writeBase(to: &text)
      text += "." + KeySpelling.escaped(path)
    }
  }

  private static func write(
    _ terms: [Term],
    _ open: String,
    _ close: String,
    to text: inout String
  ) {
    text += open
    for (index, term) in terms.enumerated() {
      if index > 0 { text += ", " }
      term.write(to: &text)
    }
    text += close
  }

  private static func write(
    _ selector: String,
    _ receiver: Term,
    _ arguments: [Term],
    to text: inout String
  ) {
    let name = Term.constant(Constant(.text(selector)))
    write([receiver, name] + arguments, "FUNCTION(", ")", to: &text)
  }

  private static func write(_ function: Function, _ arguments: [Term], to text: inout String) {
    switch (function, arguments.count) {
    case (.arithmetic(let arithmetic), 2):
      guard let sign = arithmetic.formatOperator?.sign else { break }
      arguments[0].writeOperand(to: &text)
      text += " " + sign + " "
      return arguments[1].writeOperand(to: &text)
    case (.cast, 2): return write(arguments, "CAST(", ")", to: &text)
    case (.element, 2):
      arguments[0].writeBase(to: &text)
      text += "["
      arguments[1].writeIndex(to: &text)
      text += "]"
      return
    case (.numeric(.onesComplement), 1):
      text += "~"
      return arguments[0].writeOperand(to: &text)
    default: break
    }
    write(arguments, function.spelling + "(", ")", to: &text)
  }

  /// Writes the term as an operand, in parentheses if the term is an operation itself.
  ///
  /// An integral floating-point number is written with its `.0`. Without the `.0` it would be parsed as an
  /// integer, and the division of integers discards the remainder.
  private func writeOperand(to text: inout String) {
    if case .constant(let constant) = self, case .double(let number) = constant.value,
      number.isFinite
    {
      return text += number.description
    }
    writeParenthesized(isOperator, to: &text)
  }

  /// Writes the term as the base of `.key` or `[index]`, in parentheses if the term is a number or an
  /// operation.
  private func writeBase(to text: inout String) {
    switch self {
    case .function(.numeric(.onesComplement), _): writeParenthesized(true, to: &text)
    case .constant(let constant) where constant.value.number != nil:
      writeParenthesized(true, to: &text)
    default: writeParenthesized(isOperator, to: &text)
    }
  }

  /// Writes the term as an index, with a `#` before a key such as `size`, which would be parsed as a symbolic
  /// index otherwise.
  private func writeIndex(to text: inout String) {
    if case .keyPath(let path) = self, SymbolicIndex(rawValue: path.uppercased()) != nil {
      text += "#"
    }
    write(to: &text)
  }

  private func writeParenthesized(_ parenthesized: Bool, to text: inout String) {
    if parenthesized { text += "(" }
    write(to: &text)
    if parenthesized { text += ")" }
  }

  private var isOperator: Bool {
    switch self {
    case .setOperation, .assignment: true
    case .function(.arithmetic(let function), _): function.formatOperator != nil
    default: false
    }
  }
}

extension Term.SetOperation {
  var word: String {
    switch self {
    case .union: "UNION"
    case .intersect: "INTERSECT"
    case .minus: "MINUS"
    }
  }
}
