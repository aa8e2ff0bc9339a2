// SPDX-License-Identifier: Apache-2.0

import CoreDataModel

// Operators between terms.
extension FormatParser {
  func term(_ node: Node) throws -> Term {
    guard case .term(let term) = node else { throw expected("an expression") }
    return term
  }

  mutating func parseSet() throws -> Node {
    var left = try parseBinary(1)
    var chain = 0
    while let operation = FormatWords.setOperations[upper] {
      chain += 1
      try requireShort(chain)
      let base = try term(left)
      advance()
      left = .term(.setOperation(operation, base, try term(parseBinary(1))))
    }
    return left
  }

  /// Binary operators of at least this precedence, all left-associative.
  private mutating func parseBinary(_ level: Int) throws -> Node {
    var left = try parseUnary()
    var chain = 0
    while case .symbol(let symbol) = kind, let known = FormatWords.binary[symbol],
      known.level >= level
    {
      chain += 1
      try requireShort(chain)
      let base = try term(left)
      advance()
      let right = try nested { parser in try parser.term(parser.parseBinary(known.level + 1)) }
      left = .term(.function(known.selector, [base, right], operand: nil))
    }
    return left
  }

  private mutating func parseUnary() throws -> Node {
    guard case .symbol(let symbol) = kind, ["-", "+", "~"].contains(symbol) else {
      return try parsePostfix()
    }
    advance()
    let operand = try nested { parser in try parser.term(parser.parseUnary()) }
    switch symbol {
    case "-": return .term(Self.negated(operand))
    case "~": return .term(.function("onesComplement:", [operand], operand: nil))
    default: return .term(operand)
    }
  }

  /// Literals change their sign, anything else is multiplied by -1.
  private static func negated(_ operand: Term) -> Term {
    if case .constant(let constant) = operand {
      switch constant.value {
      case .int(let number): return .constant(Constant(.int(0 &- number)))
      case .double(let number): return .constant(Constant(.double(-number)))
      default: break
      }
    }
    return .function("multiply:by:", [operand, .constant(Constant(.int(-1)))], operand: nil)
  }

  private mutating func parsePostfix() throws -> Node {
    var node = try parseAtom()
    var chain = 0
    while case .term(let base) = node {
      chain += 1
      try requireShort(chain)
      if take(".") {
        node = .term(try parseStep(base))
      } else if take("[") {
        let index = try nested { parser in try parser.parseIndex() }
        try require("]")
        node = .term(.function("objectFrom:withIndex:", [base, index], operand: nil))
      } else {
        break
      }
    }
    return node
  }

  private mutating func parseIndex() throws -> Term {
    if let symbolic = Term.SymbolicIndex(rawValue: upper), kind(after: 1) == .symbol("]") {
      advance()
      return .symbolicIndex(symbolic)
    }
    return try term(parseSet())
  }

  private mutating func parseStep(_ base: Term) throws -> Term {
    let step = token
    switch kind {
    case .word(let word, _):
      advance()
      if take("(") {
        let arguments = try parseArguments()
        guard let selector = ExpressionFunction.selector(spelling: word, arguments: arguments.count)
        else { throw failure(.unknownFunction, step) }
        return .function(selector, arguments, operand: base)
      }
      return base.appending(word)
    case .escaped(let word), .collectionOperator(let word):
      advance()
      return base.appending(word)
    case .keyPlaceholder, .objectPlaceholder:
      advance()
      switch try nextArgument(step) {
      case .value(.text(let path)): return base.appending(path)
      case .term(.keyPath(let path)): return base.appending(path)
      default: throw failure(.wrongArgument, step)
      }
    default: throw expected("a key")
    }
  }

  /// Terms up to the closing parenthesis, the opening one already taken.
  mutating func parseArguments() throws -> [Term] {
    if take(")") { return [] }
    return try nested { parser in
      var arguments: [Term] = []
      repeat { arguments.append(try parser.term(parser.parseSet())) } while parser.take(",")
      try parser.require(")")
      return arguments
    }
  }
}

extension Term {
  /// The value at a key path of this term's value; chains on the evaluated object stay one path.
  package func appending(_ path: String) -> Term {
    switch self {
    case .evaluatedObject: .keyPath(path)
    case .keyPath(let start): .keyPath(start + "." + path)
    case .keyPathOf(let base, let start): .keyPathOf(base, start + "." + path)
    default: .keyPathOf(self, path)
    }
  }
}
