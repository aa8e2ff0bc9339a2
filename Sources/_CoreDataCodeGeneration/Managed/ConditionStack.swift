// SPDX-License-Identifier: Apache-2.0

/// The conditions of the `#if` blocks around a position.
package struct ConditionStack {
  private struct Block {
    /// The conditions of the block's earlier branches, as written.
    var earlier: [String] = []
    /// The condition of the current branch, as written; nil in `#else`.
    var written: String?

    var condition: String {
      if earlier.isEmpty { return written ?? "" }
      let parts = earlier.map { "!(\($0))" } + (written.map { ["(\($0))"] } ?? [])
      return parts.joined(separator: " && ")
    }
  }
  private var blocks: [Block] = []

  package init() {}

  /// The conditions under which the code at the position is compiled, the outermost first.
  package var current: [String] { blocks.map(\.condition) }

  /// Enters or leaves a branch; `directive` is the text of the directive, such as `#if os(Linux)`.
  package mutating func apply(_ directive: String) {
    if directive.hasPrefix("#endif") {
      _ = blocks.popLast()
      return
    }
    let isFirst = directive.hasPrefix("#if")
    let isElse = directive.hasPrefix("#else") && !directive.hasPrefix("#elseif")
    var written: String?
    if !isElse {
      let text = directive.drop { $0 != " " && $0 != "(" && $0 != "\t" && $0 != "!" }
      written = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
    if isFirst { return blocks.append(Block(written: written)) }
    guard var block = blocks.popLast() else { return }
    block.earlier.append(block.written ?? "true")
    block.written = written
    blocks.append(block)
  }
}

/// Evaluates `#if` conditions for Linux, as far as the generator can know their values.
package struct ConditionEvaluator {
  /// Returns whether the condition is true on Linux; nil if it depends, for example, on a compiler flag that
  /// the generator does not know.
  package static func value(of condition: String) -> Bool? {
    var evaluator = ConditionEvaluator(condition)
    let value = evaluator.disjunction()
    return evaluator.cursor.isAtEnd ? value : nil
  }

  /// Returns whether one of the conditions is false on Linux.
  package static func excludes(_ conditions: [String]) -> Bool {
    conditions.contains { value(of: $0) == false }
  }

  private var cursor: TokenCursor

  private init(_ text: String) { cursor = TokenCursor(SwiftLexer.tokens(of: Array(text.utf8))) }

  private mutating func disjunction() -> Bool? {
    var value = conjunction()
    while cursor.isAt("|") {
      cursor.advance()
      _ = cursor.consume("|")
      let other = conjunction()
      if value == true || other == true {
        value = true
      } else if value == nil || other == nil {
        value = nil
      }
    }
    return value
  }

  private mutating func conjunction() -> Bool? {
    var value = operand()
    while cursor.isAt("&") {
      cursor.advance()
      _ = cursor.consume("&")
      let other = operand()
      if value == false || other == false {
        value = false
      } else if value == nil || other == nil {
        value = nil
      }
    }
    return value
  }

  private mutating func operand() -> Bool? {
    if cursor.consume("!") { return operand().map { !$0 } }
    if cursor.consume("(") {
      let value = disjunction()
      _ = cursor.consume(")")
      return value
    }
    let name = cursor.text
    cursor.advance()
    guard cursor.isAt("(") else { return name == "true" ? true : name == "false" ? false : nil }
    let argument = cursor.source.text(cursor.following)
    cursor.skipBrackets()
    switch name {
    case "os": return argument == "Linux"
    case "canImport":
      if Self.present.contains(argument) { return true }
      return Self.absent.contains(argument) ? false : nil
    case "targetEnvironment": return false
    default: return nil
    }
  }

  private static let present: Set<String> = ["CoreData", "Foundation", "Glibc", "Swift"]
  /// Modules of Apple's systems, which Linux does not have.
  private static let absent: Set<String> = [
    "ObjectiveC", "Darwin", "UIKit", "AppKit", "Cocoa", "SwiftUI", "Combine", "WatchKit",
    "CloudKit",
    "CoreLocation", "MapKit", "CoreGraphics", "QuartzCore", "TVUIKit", "CoreSpotlight", "os",
    "OSLog",
  ]
}
