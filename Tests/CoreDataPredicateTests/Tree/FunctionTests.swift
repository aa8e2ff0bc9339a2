// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataModel
import _CoreDataPredicate

/// The names of functions, and how many arguments they take.
@Suite struct FunctionTests {
  @Test("A selector names one function, and takes an argument for each colon")
  func selectors() {
    #expect(Set(Function.allCases.map(\.selector)).count == Function.allCases.count)
    // Apple's list: 8 aggregates, 11 of two numbers, 11 of one, 4 of texts, and 6 others.
    #expect(Function.allCases.count == 40)
    for function in Function.allCases {
      #expect(Function(selector: function.selector) == function, "\(function)")
      #expect(function.selector.count { $0 == ":" } == function.arity, "\(function)")
    }
    #expect(Function(selector: "launch:") == nil)
  }

  @Test("A format calls a function by its selector; of one argument, also by its name")
  func spellings() throws {
    let argument = Term.keyPath("a")
    for function in Function.allCases {
      let arguments = Array(repeating: argument, count: function.arity)
      let list = Array(repeating: "a", count: function.arity).joined(separator: ", ")
      let term = Term.function(function, arguments)
      #expect(try Term(format: "\(function.selector)(\(list))") == term, "\(function)")
      if function.arity == 1 {
        #expect(try Term(format: "\(function.selector.dropLast())(a)") == term, "\(function)")
      }
      #expect(try Term(format: term.format) == term, "\(term.format)")
    }
  }

  @Test("The operators of formats are the functions of two numbers, except the remainder")
  func operators() throws {
    let signs: [(String, ArithmeticFunction)] = [
      ("+", .add), ("-", .subtract), ("*", .multiply), ("/", .divide), ("**", .power),
      ("&", .bitwiseAnd), ("|", .bitwiseOr), ("^", .bitwiseXor), ("<<", .leftShift),
      (">>", .rightShift),
    ]
    for (sign, function) in signs {
      let term = Term.function(.arithmetic(function), [.keyPath("a"), .keyPath("b")])
      #expect(try Term(format: "a \(sign) b") == term)
      #expect(term.format == "a \(sign) b")
    }
    let rest = Term.function(.arithmetic(.modulus), [.keyPath("a"), .keyPath("b")])
    #expect(rest.format == "modulus:by:(a, b)")
  }

  @Test("A function refuses a wrong number of arguments, and names how many it takes")
  func arguments() throws {
    for function in Function.allCases {
      let error = #expect(throws: EvaluationError.self, "\(function)") {
        try function.value(Array(repeating: .int(1), count: function.arity + 1))
      }
      #expect(error?.code == .unsupported)
      #expect(error?.message.contains("instead of \(function.arity)") == true, "\(function)")
    }
  }

  @Test("A null argument gives null, except to aggregates")
  func nulls() throws {
    for function in Function.allCases where function.arity > 0 {
      var arguments = Array(repeating: Value.null, count: function.arity)
      if function == .cast { arguments[1] = .text("NSString") }
      let value = try function.value(arguments)
      switch function {
      case .aggregate(.sum), .aggregate(.count): #expect(value.number == 0)
      case .aggregate(.mode):
        #expect(value.isEqual(to: .collection(ValueCollection(.array, []))))
      default: #expect(value.isNull, "\(function)")
      }
    }
  }

  @Test("The operators of key paths are the aggregates that have one")
  func keyPathOperators() {
    for function in AggregateFunction.allCases {
      guard let name = function.keyPathOperator else { continue }
      #expect(AggregateFunction(keyPathOperator: name) == function)
    }
    #expect(AggregateFunction(keyPathOperator: "@distinctUnionOfObjects") == nil)
  }
}
