// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import Foundation

extension Term {
  /// The format that describes this expression; parsing it gives an equal one.
  package var format: String {
    var text = ""
    write(to: &text)
    return text
  }

  func write(to text: inout String) {
    switch self {
    case .constant(let constant): constant.value.writeFormat(to: &text)
    case .evaluatedObject: text += "SELF"
    case .keyPath(let path): text += Self.escaped(path)
    case .keyPathOf(let base, let path):
      base.writeBase(to: &text)
      text += "." + Self.escaped(path)
    case .variable(let name): text += "$" + name
    case .assignment(let name, let value):
      text += "$" + name + " := "
      value.write(to: &text)
    case .function(let selector, let arguments, let operand):
      Self.write(selector, arguments, operand, to: &text)
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
    _ arguments: [Term],
    _ operand: Term?,
    to text: inout String
  ) {
    if let operand {
      return write(
        [operand, .constant(Constant(.text(selector)))] + arguments,
        "FUNCTION(",
        ")",
        to: &text
      )
    }
    if arguments.count == 2 {
      if let symbol = FormatWords.operatorOfSelector[selector] {
        arguments[0].writeOperand(to: &text)
        text += " " + symbol + " "
        return arguments[1].writeOperand(to: &text)
      }
      if selector == "castObject:toType:" { return write(arguments, "CAST(", ")", to: &text) }
      if selector == "objectFrom:withIndex:" {
        arguments[0].writeBase(to: &text)
        text += "["
        arguments[1].writeIndex(to: &text)
        text += "]"
        return
      }
    }
    if selector == "onesComplement:", arguments.count == 1 {
      text += "~"
      return arguments[0].writeOperand(to: &text)
    }
    let name = arguments.count == 1 ? String(selector.dropLast()) : selector
    write(arguments, name + "(", ")", to: &text)
  }

  /// As an operand of an operator: other operators get parentheses.
  private func writeOperand(to text: inout String) {
    writeParenthesized(isOperator, to: &text)
  }

  /// As what `.key` or `[index]` follows: numbers and everything with a prefix get parentheses too.
  private func writeBase(to text: inout String) {
    switch self {
    case .function("onesComplement:", _, operand: nil): writeParenthesized(true, to: &text)
    case .constant(let constant) where constant.value.number != nil:
      writeParenthesized(true, to: &text)
    default: writeParenthesized(isOperator, to: &text)
    }
  }

  /// A key that reads like a symbolic index is escaped.
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
    case .function(let selector, _, operand: nil): FormatWords.operatorOfSelector[selector] != nil
    default: false
    }
  }

  /// The path with `#` before the keys that are reserved words.
  private static func escaped(_ path: String) -> String {
    if !path.utf8.contains(UInt8(ascii: ".")) { return escapedKey(path[...]) }
    return path.split(separator: ".", omittingEmptySubsequences: false)
      .map(escapedKey).joined(separator: ".")
  }

  private static func escapedKey(_ key: Substring) -> String {
    FormatWords.reserved.contains(key.uppercased()) ? "#" + key : String(key)
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

extension Value {
  /// The constant as a format spells it, or its description where the language has no form for it.
  func writeFormat(to text: inout String) {
    switch self {
    case .null: text += "nil"
    case .bool(let flag): text += flag ? "1" : "0"
    case .int(let number): text += String(number)
    case .double(let number): text += Self.digits(number)
    case .decimal(let number): text += number.description
    case .text(let content): Self.writeQuoted(content, to: &text)
    case .date(let seconds): text += "CAST(\(Self.seconds(seconds)), \"NSDate\")"
    case .data(let data):
      text += "<" + data.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined() + ">"
    case .uuid(let uuid): text += uuid.uuidString
    case .url(let url): text += url.absoluteString
    case .key(let key): text += key.description
    case .object(let object): text += object.objectKey?.description ?? String(describing: object)
    case .collection(let collection):
      text += "{"
      for (index, member) in collection.members.enumerated() {
        if index > 0 { text += ", " }
        member.writeFormat(to: &text)
      }
      text += "}"
    case .dictionary(let dictionary):
      text += "{"
      for key in dictionary.keys.sorted() {
        text += "\(key) = "
        dictionary[key]?.writeFormat(to: &text)
        text += "; "
      }
      text += "}"
    case .opaque(let object): text += String(describing: object)
    }
  }

  /// Shortest digits that give the number back; whole numbers without a fraction.
  static func digits(_ number: Double) -> String {
    guard number == number.rounded(), abs(number) < 1e15 else { return number.description }
    return String(Int64(number))
  }

  private static func seconds(_ seconds: Double) -> String {
    let text = digits(seconds)
    return text.utf8.contains(UInt8(ascii: ".")) || text.utf8.contains(UInt8(ascii: "e"))
      ? text : text + ".000000"
  }

  private static func writeQuoted(_ content: String, to text: inout String) {
    text += "\""
    for scalar in content.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case "\r": text += "\\r"
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
