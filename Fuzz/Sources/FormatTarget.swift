// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// The format language: what parses prints as something equal, and is evaluated without a trap.
struct FormatTarget: FuzzTarget {
  private let sample = Sample()
  private let arguments: [FormatArgument] = [
    .value(.text("name")), .value(.int(3)), .value(.text("a b")), .value(.double(0.5)),
    .value(.collection(ValueCollection(.array, [.int(1), .text("x"), .null]))),
    .value(.date(721_692_800.25)), .value(.null), .value(.decimal(12.5)), .value(.bool(true)),
    .condition(.comparison(Comparison(.keyPath("n"), .equal, .variable("x")))),
    .term(.function(.arithmetic(.add), [.keyPath("n"), .variable("y")])),
    .value(.int(.min)), .value(.double(.infinity)), .value(.text("größe \"'\\")),
  ]
  private let variables: [String: Value] = [
    "x": .int(7), "y": .text("abc"), "_": .null,
    "set": .collection(ValueCollection(.array, [.int(1)])),
  ]

  func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    let format = String(decoding: bytes, as: UTF8.self)
    // The length chooses which arguments meet which placeholders.
    let first = bytes.count % arguments.count
    let arguments = Array(arguments[first...] + arguments[..<first])
    do {
      check(try Condition(format: format, arguments: arguments), format)
    } catch {
      check(error, format)
      if let term = try? Term(format: format, arguments: arguments) { check(term, format) }
    }
  }

  private func check(_ error: any Error, _ format: String) {
    guard let error = error as? FormatError else { broken("Not a FormatError", "\(error)") }
    if error.range.upperBound > format.utf8.count || error.debugDescription.isEmpty {
      broken("The place is not in the format", "\(error.range) \(format)")
    }
  }

  private func check(_ condition: Condition, _ format: String) {
    let printed = condition.format
    guard let parsed = try? Condition(format: printed) else {
      broken("What is printed cannot be parsed", "\(format)\n\(printed)")
    }
    if parsed != condition || parsed.hashValue != condition.hashValue || parsed.format != printed {
      broken("What is printed parses to another", "\(format)\n\(printed)\n\(parsed.format)")
    }
    if let bound = try? condition.substituting(variables),
      (try? Condition(format: bound.format)) != bound
    {
      broken("With constants for variables it prints as another", "\(format)\n\(bound.format)")
    }
    guard isShort(printed) else { return }
    let holds = try? condition.evaluate(with: .object(sample), variables: variables)
    let again = try? (try? Condition(format: printed))?
      .evaluate(with: .object(sample), variables: variables)
    if holds != again, !["random", "now"].contains(where: printed.contains) {
      broken("What is printed has another value", "\(format)\n\(printed)")
    }
  }

  private func check(_ term: Term, _ format: String) {
    let printed = term.format
    guard let parsed = try? Term(format: printed) else {
      broken("What is printed cannot be parsed", "\(format)\n\(printed)")
    }
    if parsed != term || parsed.hashValue != term.hashValue || parsed.format != printed {
      broken("What is printed parses to another", "\(format)\n\(printed)\n\(parsed.format)")
    }
    if isShort(printed) {
      _ = try? term.evaluate(with: .object(sample), variables: variables)
    }
  }

  /// Subqueries in subqueries take exponential time by their nature.
  private func isShort(_ printed: String) -> Bool {
    printed.utf8.count < 4096 && printed.components(separatedBy: "SUBQUERY").count < 4
  }
}

/// An object with a value of each kind.
private final class Sample: KeyedObject {
  private let values: [String: Value] = [
    "n": .int(41), "name": .text("Größe"), "d": .double(0.5), "b": .bool(true), "nothing": .null,
    "date": .date(0), "decimal": .decimal(12.5), "data": .data(Data([1, 2])),
    "list": .collection(ValueCollection(.array, [.int(1), .int(2), .null])),
    "set": .collection(ValueCollection(.set, [.text("a"), .text("b")])),
    "dict": .dictionary(["k": .int(1)]),
    "lists": .collection(
      ValueCollection(.array, [.collection(ValueCollection(.array, [.double(1.5)]))])
    ),
  ]
  var objectKey: ObjectKey? { nil }
  func keyedValue(_ key: String) throws -> Value {
    if key == "parent" { return .object(self) }
    guard let value = values[key] else { throw UnknownKey(key: key, owner: "Sample") }
    return value
  }
}
