// SPDX-License-Identifier: Apache-2.0

/// The limits of the engine for one statement.
///
/// By default, SQLite's parser has a stack of 100 states. Its code generator compares each constant of a
/// statement with all others, so a statement with many constants compiles slowly.
/// Source: sqlite.org, “Limits in SQLite”, for the parser; measured for the code generator.
enum EngineLimits {
  /// The maximum number of parser states for a condition; the remaining states are for other parts of the
  /// statement.
  static let parserDepth = 80
  /// The number of parser states reserved for the AND that joins the conditions of a statement.
  ///
  /// The AND needs one level of parentheses, or two for more than 64 conditions.
  static let conjunction = 12
  /// The greatest height of a condition that cannot reach the parser's limit; only taller conditions are
  /// checked.
  static let height = 4
  /// The maximum number of comparisons in the conditions of a statement: 4,000 comparisons take 0.4 s to
  /// compile, and 16,000 take 5 s.
  static let comparisons = 4_000
  /// The maximum number of values bound in the conditions of a statement, of the 32,766 that a statement
  /// can bind.
  static let values = 32_000
}

/// The numbers of comparisons and values that can still be added to the conditions of one statement.
struct StatementAllowance {
  var comparisons = EngineLimits.comparisons
  var values = EngineLimits.values
}

extension SQL {
  var valueCount: Int {
    segments.count { if case .value = $0 { true } else { false } }
  }

  /// An estimate of the number of parser states at the deepest point of the piece; never too low.
  ///
  /// The scan does not recognise quotes, because the few texts that pieces quote contain no parentheses and
  /// no keywords.
  /// - Complexity: O(length).
  var parserDepth: Int {
    var scan = ParserScan()
    for segment in segments {
      switch segment {
      case .text(let text), .qualifier(let text): scan.read(text)
      case .value: continue
      }
    }
    return scan.deepest
  }
}

/// Estimates the parser states of a statement from its parentheses and keywords.
private struct ParserScan {
  private struct Level {
    /// The number of states that the text read so far at this level keeps on the parser's stack.
    var states = 1
    var isSelect = false
    /// The number of open CASE expressions.
    var choices = 0
    var cost: Int { states + (isSelect ? 10 : 0) + 6 * choices }
  }
  private var levels = [Level()]
  private var total = 0
  private var word: [UInt8] = []
  private(set) var deepest = 0

  mutating func read(_ text: String) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "("): open()
      case UInt8(ascii: ")"): close()
      case UInt8(ascii: " "): endWord()
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): word.append(byte)
      default:
        endWord()
        // An operand with its operator, or arguments with their comma, stay on the stack until the text after
        // them is read.
        levels[levels.count - 1].states = 5
      }
    }
    endWord()
  }

  private mutating func open() {
    endWord()
    total += levels[levels.count - 1].cost
    deepest = max(deepest, total)
    levels.append(Level())
  }

  private mutating func close() {
    endWord()
    deepest = max(deepest, total + levels[levels.count - 1].cost)
    guard levels.count > 1 else { return }
    levels.removeLast()
    total -= levels[levels.count - 1].cost
    levels[levels.count - 1].states = 5
  }

  private mutating func endWord() {
    if word.isEmpty { return }
    let last = levels.count - 1
    switch word {
    case Array("SELECT".utf8): levels[last].isSelect = true
    case Array("CASE".utf8): levels[last].choices += 1
    case Array("END".utf8): levels[last].choices -= 1
    default: levels[last].states = 5
    }
    word.removeAll(keepingCapacity: true)
  }
}
