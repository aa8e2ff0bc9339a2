// SPDX-License-Identifier: Apache-2.0

import PredicateCases
import Testing
import _CoreDataModel
import _CoreDataPredicate

/// Format strings of real projects, with arguments of the kinds that they are used with.
@Suite(.enabled(if: Shared.hasCases, "no shared cases: set COREDATA_SHARED"))
struct SharedWildTests {
  /// Parsed as a predicate or an expression, so that one function tests both.
  private enum Parsed: Equatable {
    case condition(Condition)
    case term(Term)

    init(_ format: String, _ arguments: [FormatArgument], isTerm: Bool) throws {
      self =
        isTerm
        ? .term(try Term(format: format, arguments: arguments))
        : .condition(try Condition(format: format, arguments: arguments))
    }

    var format: String {
      switch self {
      case .condition(let condition): condition.format
      case .term(let term): term.format
      }
    }
  }

  @Test func `Every format of real projects parses, and prints as one that parses equal`() throws {
    var counts: [String: Int] = [:]
    for row in try SharedCase.all("wild.tsv", where: { _ in true }) {
      let isTerm = row["kind"] == "expr"
      let outcome: String
      do {
        let parsed = try Parsed(row.format, try arguments(row), isTerm: isTerm)
        let printed = parsed.format
        let again = try Parsed(printed, [], isTerm: isTerm)
        #expect(again == parsed, "\(row.id) \(row.format)\n\(printed)\n\(again.format)")
        #expect(again.format == printed, "\(row.id) \(row.format)")
        outcome = "parsed"
      } catch let error as FormatError {
        outcome = error.found.lowercased().hasPrefix("mgl_") ? "Mapbox's function" : "refused"
        let isFine =
          switch row["expect"] {
          case "parse-error": outcome == "refused"
          // With marks where the source puts its values together.
          case "template": true
          default: outcome == "Mapbox's function" && error.code == .unknownFunction
          }
        #expect(isFine, "\(row.id) \(row.format)\n\(error.debugDescription)")
      }
      counts[row["expect"] + ": " + outcome, default: 0] += 1
    }
    #expect(
      counts == [
        "parse-ok: parsed": 697, "parse-ok: Mapbox's function": 25, "parse-error: refused": 1,
        "template: parsed": 31, "template: refused": 7,
      ]
    )
  }

  private func arguments(_ row: SharedCase) throws -> [FormatArgument] {
    let specifiers = try row.json("specifiers").elements.compactMap(\.text)
    let kinds = try row.json("argKinds").elements.compactMap(\.text)
    return specifiers.enumerated().map { index, specifier in
      let kind = index < kinds.count ? kinds[index] : "argumentArray"
      switch specifier {
      case "%K": return .value(.text(["name", "owner.name", "in", "items.@count"][index % 4]))
      case "%@": return argument(kind, isKey: row.format.hasSuffix(".%@") && index > 0)
      default: return .value(kind == "number" ? .int(42) : .double(1.5))
      }
    }
  }

  private func argument(_ kind: String, isKey: Bool) -> FormatArgument {
    switch kind {
    case _ where isKey: .value(.text("length"))
    case "string": .value(.text("it's \"quoted\""))
    case "number": .value(.double(2.5))
    case "date": .value(.date(721_692_800.25))
    case "collection":
      .value(.collection(ValueCollection(.array, [.text("a"), .int(1), .date(0)])))
    case "expr": .term(.function(.arithmetic(.add), [.keyPath("n"), .variable("y")]))
    case "keyPath": .term(.keyPath("owner.name"))
    default: .value(.text("x"))
    }
  }

  @Test func `Object IDs of real projects' arguments print as their description`() throws {
    let rows = try SharedCase.all("wild.tsv") { $0["argKinds"] == "[\"objectID\"]" }
    #expect(rows.count == 3)
    let key = try #require(ObjectKey(store: 1, entity: 2, number: 3))
    for row in rows {
      let condition = try Condition(format: row.format, arguments: [.value(.key(key))])
      #expect(condition.format.contains(key.description), "\(row.id)")
    }
  }
}
