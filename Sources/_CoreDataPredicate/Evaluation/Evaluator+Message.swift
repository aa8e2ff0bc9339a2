// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension Evaluator {
  /// `FUNCTION(operand, "selector:", …)`, for the messages that read a value and change nothing.
  ///
  /// Null answers null to everything. Source: chosen; Apple sends any message.
  /// - Throws: `EvaluationError` (`unsupported`) for every other message.
  mutating func message(
    _ selector: String,
    to operand: Term,
    _ arguments: [Term]
  ) throws -> Value {
    let target = try value(operand)
    let values = try arguments.map { try value($0) }
    if let result = try Self.answer(target, selector, values) { return result }
    if let function = Function(selector: selector), function.arity == values.count {
      return try function.value(values)
    }
    throw EvaluationError(.unsupported, "The message \(selector) is not sent from expressions")
  }

  private static func answer(
    _ target: Value,
    _ selector: String,
    _ arguments: [Value]
  ) throws -> Value? {
    if target.isNull, !selector.hasSuffix(":") || !arguments.isEmpty { return .null }
    switch (selector, arguments.first) {
    case ("valueForKey:", .text(let key)): return try target.value(forKey: key)
    case ("valueForKeyPath:", .text(let path)): return try target.value(forKeyPath: path)
    case ("objectForKey:", .text(let key)), ("objectForKeyedSubscript:", .text(let key)):
      return try target.value(forKey: key)
    case ("isEqual:", let other?), ("isEqualToString:", let other?),
      ("isEqualToNumber:", let other?), ("isEqualToDate:", let other?),
      ("isEqualToArray:", let other?), ("isEqualToSet:", let other?):
      return .bool(target.isEqual(to: other))
    case ("compare:", let other?): return target.order(to: other).map { .int(Int64($0.signum())) }
    default: break
    }
    switch target {
    case .text(let text): return try self.text(text, selector, arguments.first)
    case .date(let seconds): return date(seconds, selector, arguments.first)
    case .collection(let collection):
      return try self.collection(collection, selector, arguments.first)
    case .dictionary(let dictionary): return self.dictionary(dictionary, selector)
    case .object: return nil
    default:
      return arguments.isEmpty && !selector.hasSuffix(":")
        ? try target.value(forKey: selector) : nil
    }
  }

  private static func text(
    _ text: String,
    _ selector: String,
    _ argument: Value?
  ) throws -> Value? {
    switch (selector, argument) {
    case ("stringByAppendingString:", .text(let end)): return .text(text + end)
    case ("hasPrefix:", .text(let part)): return .bool(text.hasPrefix(part))
    case ("hasSuffix:", .text(let part)): return .bool(text.hasSuffix(part))
    case ("containsString:", .text(let part)):
      return .bool(try Relation.contains.holds(.text(text), .text(part)))
    case ("componentsSeparatedByString:", .text(let separator)):
      let parts = text.components(separatedBy: separator)
      return .collection(ValueCollection(.array, parts.map { .text($0) }))
    case ("substringToIndex:", let index?), ("substringFromIndex:", let index?):
      let units = Array(text.utf16)
      guard let at = index.truncated, at >= 0, at <= units.count else {
        throw EvaluationError(.range, "index \(index.shown) beyond the text's \(units.count)")
      }
      let part = selector == "substringToIndex:" ? units[..<Int(at)] : units[Int(at)...]
      return .text(String(decoding: part, as: UTF16.self))
    case (_, nil) where !selector.hasSuffix(":"):
      return try Value.text(text).value(forKey: selector)
    default: return nil
    }
  }

  private static func date(_ seconds: Double, _ selector: String, _ argument: Value?) -> Value? {
    switch (selector, argument) {
    case ("dateByAddingTimeInterval:", let interval?): interval.number.map { .date(seconds + $0) }
    case ("timeIntervalSinceDate:", .date(let other)): .double(seconds - other)
    // The caller refuses a selector that gives nil, with its name.
    case (_, nil) where !selector.hasSuffix(":"): try? Value.date(seconds).value(forKey: selector)
    default: nil
    }
  }

  private static func collection(
    _ collection: ValueCollection,
    _ selector: String,
    _ argument: Value?
  ) throws -> Value? {
    switch (selector, argument) {
    case ("count", nil): return .int(Int64(collection.members.count))
    case ("firstObject", nil), ("anyObject", nil): return collection.members.first ?? .null
    case ("lastObject", nil): return collection.members.last ?? .null
    case ("allObjects", nil), ("array", nil):
      return .collection(ValueCollection(.array, collection.members))
    case ("set", nil):
      return .collection(ValueCollection(.set, ValueCollection.distinct(collection.members)))
    case ("objectAtIndex:", let index?), ("objectAtIndexedSubscript:", let index?):
      return try Function.element(of: .collection(collection), index)
    case ("containsObject:", let member?):
      return .bool(collection.members.contains { $0.isEqual(to: member) })
    case ("componentsJoinedByString:", .text(let separator)):
      return .text(collection.members.map(\.plainText).joined(separator: separator))
    default: return nil
    }
  }

  private static func dictionary(_ dictionary: [String: Value], _ selector: String) -> Value? {
    switch selector {
    case "count": .int(Int64(dictionary.count))
    // Dictionaries have these keys.
    case "allKeys": try? Value.dictionary(dictionary).value(forKey: "@allKeys")
    case "allValues": try? Value.dictionary(dictionary).value(forKey: "@allValues")
    default: nil
    }
  }
}
