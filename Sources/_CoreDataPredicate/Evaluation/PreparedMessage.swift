// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// A prepared `FUNCTION(receiver, "selector:", …)` expression.
///
/// The selector names a message without side effects from a fixed list, a message that only the receiver
/// understands, a key of the receiver, or a predefined function.
final class PreparedMessage: Sendable {
  let receiver: TermNode
  let arguments: [TermNode]
  private let selector: String
  private let message: Message?
  /// The predefined function for the selector and the number of arguments; nil if there is no such function.
  ///
  /// The function ignores the receiver.
  private let function: Function?
  /// Whether the message takes no arguments; the selector can then be the name of a key.
  private let isGetter: Bool

  init(_ selector: String, _ receiver: TermNode, _ arguments: [TermNode]) {
    self.selector = selector
    self.receiver = receiver
    self.arguments = arguments
    message = Message(rawValue: selector)
    function = Function(selector: selector).flatMap { $0.arity == arguments.count ? $0 : nil }
    isGetter = arguments.isEmpty && !selector.hasSuffix(":")
  }

  /// Returns the result of the message.
  ///
  /// Returns null for a null receiver, unless the selector requires arguments and none are passed.
  /// Source: this library's choice; Apple's framework sends any message.
  /// - Throws: `EvaluationError` (`unsupported`) for an unknown message, and for a receiver or arguments to
  ///   which the message does not apply; `UnknownKey`; other errors of the message or the receiver.
  func value(_ receiver: Value, _ arguments: [Value]) throws -> Value {
    if receiver.isNull, isGetter || !arguments.isEmpty { return .null }
    if case .object(let object) = receiver, let reply = try object.reply(to: selector, arguments) {
      return reply
    }
    if let reply = try message?.reply(of: receiver, arguments.first) { return reply }
    if isGetter, let value = try valueOfKey(receiver) { return value }
    if let function { return try function.value(arguments) }
    throw EvaluationError(.unsupported, obstacle(receiver, arguments))
  }

  private func obstacle(_ receiver: Value, _ arguments: [Value]) -> String {
    if message == nil {
      guard let arity = Function(selector: selector)?.arity else {
        return "An expression can send only a fixed set of messages, not \(selector); use a "
          + "function or a block expression"
      }
      let number = arity == 1 ? "1 argument" : "\(arity) arguments"
      return "The function \(selector) takes \(number), not \(arguments.count)"
    }
    let kinds = arguments.map(\.kindName).joined(separator: " and ")
    let role = arguments.count == 1 ? "argument" : "arguments"
    return "An expression can't send the message \(selector) to \(receiver.kindName)"
      + (arguments.isEmpty ? "" : " with \(kinds) as \(role)")
  }

  private func valueOfKey(_ receiver: Value) throws -> Value? {
    switch receiver {
    // The error is dropped, because the caller then throws an error that names the selector.
    case .date: try? receiver.value(forKey: selector)
    case .collection, .dictionary, .object: nil
    case .null, .bool, .int, .double, .decimal, .text, .data, .uuid, .url, .key, .opaque:
      try receiver.value(forKey: selector)
    }
  }
}

private enum Message: String {
  case valueForKey = "valueForKey:"
  case valueForKeyPath = "valueForKeyPath:"
  case objectForKey = "objectForKey:"
  case objectForKeyedSubscript = "objectForKeyedSubscript:"
  case isEqual = "isEqual:"
  case isEqualToString = "isEqualToString:"
  case isEqualToNumber = "isEqualToNumber:"
  case isEqualToDate = "isEqualToDate:"
  case isEqualToArray = "isEqualToArray:"
  case isEqualToSet = "isEqualToSet:"
  case compare = "compare:"
  case stringByAppendingString = "stringByAppendingString:"
  case hasPrefix = "hasPrefix:"
  case hasSuffix = "hasSuffix:"
  case containsString = "containsString:"
  case componentsSeparatedByString = "componentsSeparatedByString:"
  case substringToIndex = "substringToIndex:"
  case substringFromIndex = "substringFromIndex:"
  case dateByAddingTimeInterval = "dateByAddingTimeInterval:"
  case timeIntervalSinceDate = "timeIntervalSinceDate:"
  case count, firstObject, anyObject, lastObject, allObjects, array, set, allKeys, allValues
  case objectAtIndex = "objectAtIndex:"
  case objectAtIndexedSubscript = "objectAtIndexedSubscript:"
  case containsObject = "containsObject:"
  case componentsJoinedByString = "componentsJoinedByString:"

  /// Returns the result of the message; nil if the message does not apply to this kind of receiver or
  /// argument.
  func reply(of receiver: Value, _ argument: Value?) throws -> Value? {
    switch self {
    case .valueForKey, .objectForKey, .objectForKeyedSubscript:
      guard case .text(let key)? = argument else { return nil }
      return try receiver.value(forKey: key)
    case .valueForKeyPath:
      guard case .text(let path)? = argument else { return nil }
      return try receiver.value(forKeyPath: path)
    case .isEqual, .isEqualToString, .isEqualToNumber, .isEqualToDate, .isEqualToArray,
      .isEqualToSet:
      return argument.map { .bool(receiver.isEqual(to: $0)) }
    case .compare:
      return argument.flatMap { receiver.order(to: $0) }.map { .int(Int64($0.signum())) }
    case .stringByAppendingString, .hasPrefix, .hasSuffix, .containsString,
      .componentsSeparatedByString:
      guard case .text(let text) = receiver, case .text(let part)? = argument else { return nil }
      return try reply(of: text, part)
    case .substringToIndex, .substringFromIndex:
      guard case .text(let text) = receiver, let argument else { return nil }
      return try substring(of: text, argument)
    case .dateByAddingTimeInterval:
      guard case .date(let seconds) = receiver else { return nil }
      return argument?.number.map { .date(seconds + $0) }
    case .timeIntervalSinceDate:
      guard case .date(let seconds) = receiver, case .date(let other)? = argument else {
        return nil
      }
      return .double(seconds - other)
    case .allKeys, .allValues:
      guard case .dictionary = receiver else { return nil }
      return try receiver.value(forKey: self == .allKeys ? "@allKeys" : "@allValues")
    case .count:
      if case .dictionary(let dictionary) = receiver { return .int(Int64(dictionary.count)) }
      return try reply(ofMembers: receiver, argument)
    case .firstObject, .anyObject, .lastObject, .allObjects, .array, .set, .objectAtIndex,
      .objectAtIndexedSubscript, .containsObject, .componentsJoinedByString:
      return try reply(ofMembers: receiver, argument)
    }
  }

  private func reply(of text: String, _ part: String) throws -> Value? {
    switch self {
    case .stringByAppendingString: .text(text + part)
    case .hasPrefix: .bool(text.hasPrefix(part))
    case .hasSuffix: .bool(text.hasSuffix(part))
    case .containsString: .bool(try Relation.contains.holds(.text(text), .text(part)))
    case .componentsSeparatedByString:
      .collection(
        ValueCollection(.array, text.components(separatedBy: part).map { .text($0) })
      )
    default: nil
    }
  }

  /// Returns the part of `text` before `index` (`substringToIndex:`) or from `index` on
  /// (`substringFromIndex:`).
  ///
  /// `index` counts UTF-16 code units.
  /// - Throws: `EvaluationError`: `range` for an index out of bounds, `invalidArgument` for an index that is
  ///   not a number.
  private func substring(of text: String, _ index: Value) throws -> Value {
    let units = Array(text.utf16)
    if index.number == nil {
      throw EvaluationError(
        .invalidArgument,
        "The index of the message \(rawValue) must be a number, not \(index.kindName)"
      )
    }
    guard let at = index.truncated, at >= 0, at <= units.count else {
      throw EvaluationError(
        .range,
        "The index \(index.shown) of the message \(rawValue) is out of bounds: the string has "
          + (units.count == 1 ? "1 UTF-16 unit" : "\(units.count) UTF-16 units")
      )
    }
    let part = self == .substringToIndex ? units[..<Int(at)] : units[Int(at)...]
    return .text(String(decoding: part, as: UTF16.self))
  }

  private func reply(ofMembers receiver: Value, _ argument: Value?) throws -> Value? {
    guard case .collection(let collection) = receiver else { return nil }
    let members = collection.members
    switch (self, argument) {
    case (.count, nil): return .int(Int64(members.count))
    case (.firstObject, nil), (.anyObject, nil): return members.first ?? .null
    case (.lastObject, nil): return members.last ?? .null
    case (.allObjects, nil), (.array, nil): return .collection(ValueCollection(.array, members))
    case (.set, nil): return .collection(ValueCollection(.set, ValueCollection.distinct(members)))
    case (.objectAtIndex, let index?), (.objectAtIndexedSubscript, let index?):
      return try Function.element(of: receiver, index)
    case (.containsObject, let member?):
      return .bool(members.contains { $0.isEqual(to: member) })
    case (.componentsJoinedByString, .text(let separator)?):
      return .text(members.map(\.plainText).joined(separator: separator))
    default: return nil
    }
  }
}
