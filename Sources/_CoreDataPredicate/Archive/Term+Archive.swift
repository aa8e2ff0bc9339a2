// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension Term {
  /// Returns the object that represents the expression in an archive.
  ///
  /// - Throws: `ArchiveError` for a block expression, an expression of a custom class, and an `unusable`
  ///   expression. Nested predicates and expressions are not checked.
  package func archivedPart() throws -> ArchivedPart {
    switch self {
    case .constant(let constant):
      return Self.part("NSConstantValueExpression", 0, ["NSConstantValue": .value(constant.value)])
    case .evaluatedObject: return Self.part("NSSelfExpression", 1)
    case .variable(let name):
      return Self.part("NSVariableExpression", 2, ["NSVariable": .text(name)])
    case .keyPath(let path): return Self.keyPath(path, of: .evaluatedObject, type: 3)
    case .keyPathOf(let base, let path): return Self.keyPath(path, of: base, type: 4)
    case .assignment(let name, let term):
      return Self.part(
        "NSVariableAssignmentExpression",
        12,
        ["NSAssignmentVariable": .text(name), "NSSubexpression": .term(term)]
      )
    case .function(let function, let arguments):
      return Self.call(function.selector, arguments, operand: .part(Self.predefined))
    case .message(let selector, let receiver, let arguments):
      return Self.call(selector, arguments, operand: .term(receiver))
    case .aggregate(let members):
      return Self.part("NSAggregateExpression", 14, ["NSCollection": .terms(members)])
    case .subquery(let collection, let variable, let condition):
      return Self.part(
        "NSSubqueryExpression",
        13,
        [
          "NSCollection": .term(collection), "NSVariable": .text(variable),
          "NSPredicate": .condition(condition),
        ]
      )
    case .setOperation(let operation, let left, let right):
      return Self.part(
        "NSSetExpression",
        Int64(operation.rawValue),
        ["NSLeftExpression": .term(left), "NSRightExpression": .term(right)]
      )
    case .ternary(let condition, let yes, let no):
      return Self.part(
        "NSTernaryExpression",
        20,
        [
          "NSPredicate": .condition(condition), "NSTrueExpression": .term(yes),
          "NSFalseExpression": .term(no),
        ]
      )
    case .anyKey: return Self.part("NSAnyKeyExpression", 15)
    case .symbolicIndex(let index):
      return Self.part("NSSymbolicExpression", 11, ["NSSymbol": .text(index.rawValue)])
    case .fetch(let request, let context, let countOnly):
      return Self.part(
        "NSFetchRequestExpression",
        50,
        [
          "NSFRExpression": .term(request), "NSMOCExpression": .term(context),
          "NSCountOnlyFlag": .flag(countOnly),
        ]
      )
    case .opaque:
      throw ArchiveError(
        "A block expression or an expression of a custom class cannot be archived, because code has no "
          + "archived form. Create the expression from a format string"
      )
    case .unusable(let reason): throw ArchiveError("The expression cannot be archived: \(reason)")
    }
  }

  private static func part(
    _ className: String,
    _ type: Int64,
    _ fields: [String: ArchivedPart.Field] = [:]
  ) -> ArchivedPart {
    ArchivedPart(className, fields.merging(["NSExpressionType": .integer(type)]) { own, _ in own })
  }

  private static func call(
    _ selector: String,
    _ arguments: [Term],
    operand: ArchivedPart.Field
  ) -> ArchivedPart {
    part(
      "NSFunctionExpression",
      4,
      [
        "NSSelectorName": .text(selector), "NSArguments": .terms(arguments),
        "NSOperand": operand,
      ]
    )
  }

  private static func keyPath(_ path: String, of base: Term, type: Int64) -> ArchivedPart {
    part(
      "NSKeyPathExpression",
      type,
      [
        "NSOperand": .term(base),
        "NSSelectorName": .text(path.contains(".") ? "valueForKeyPath:" : "valueForKey:"),
        "NSArguments": .parts([
          part("NSKeyPathSpecifierExpression", 10, ["NSKeyPath": .text(path)])
        ]),
      ]
    )
  }

  /// The operand of predefined functions, such as `sum:`.
  private static var predefined: ArchivedPart {
    part("NSConstantValueExpression", 0, [predefinedKey: .text(predefinedClass)])
  }
  private static let predefinedKey = "NSConstantValueClassName"
  private static let predefinedClass = "_NSPredicateUtilities"
  /// The term that `init(archived:)` creates for the operand of predefined functions.
  private static var predefinedTerm: Term { .constant(Constant(.text(predefinedClass))) }

  /// Creates the expression that an archived object represents.
  ///
  /// - Throws: `ArchiveError` if the object is not a valid expression.
  package init(archived fields: some ArchivedFields) throws {
    switch fields.className {
    case "NSConstantValueExpression":
      if fields.text(Self.predefinedKey) == Self.predefinedClass {
        self = Self.predefinedTerm
      } else {
        self = .constant(Constant(try fields.value("NSConstantValue")))
      }
    case "NSSelfExpression": self = .evaluatedObject
    case "NSVariableExpression": self = .variable(try Self.name(fields, "NSVariable"))
    case "NSKeyPathSpecifierExpression":
      self = .constant(Constant(.text(try Self.name(fields, "NSKeyPath"))))
    case "NSKeyPathExpression": self = try Self.keyPath(fields)
    case "NSFunctionExpression": self = try Self.function(fields)
    case "NSAggregateExpression": self = .aggregate(try fields.terms("NSCollection"))
    case "NSVariableAssignmentExpression":
      let name = try Self.name(fields, "NSAssignmentVariable")
      self = .assignment(name, try fields.term("NSSubexpression"))
    case "NSAnyKeyExpression": self = .anyKey
    default: self = try Self.composite(fields)
    }
  }

  private static func composite(_ fields: some ArchivedFields) throws -> Term {
    switch fields.className {
    case "NSSubqueryExpression":
      return .subquery(
        try fields.term("NSCollection"),
        variable: try name(fields, "NSVariable"),
        try fields.condition("NSPredicate")
      )
    case "NSSetExpression":
      let type = fields.integer("NSExpressionType")
      guard
        let operation = type.flatMap({ UInt(exactly: $0) }).flatMap(SetOperation.init(rawValue:))
      else {
        throw ArchiveError(
          "An archived set expression has \(type.map { "the type \($0)" } ?? "no type"); expected 5 "
            + "(UNION), 6 (INTERSECT) or 7 (MINUS)"
        )
      }
      return .setOperation(
        operation,
        try fields.term("NSLeftExpression"),
        try fields.term("NSRightExpression")
      )
    case "NSTernaryExpression":
      return .ternary(
        try fields.condition("NSPredicate"),
        try fields.term("NSTrueExpression"),
        try fields.term("NSFalseExpression")
      )
    case "NSSymbolicExpression":
      let symbol = try name(fields, "NSSymbol")
      guard let index = SymbolicIndex(rawValue: symbol) else {
        throw ArchiveError("The archived index “\(symbol)” is not FIRST, LAST or SIZE")
      }
      return .symbolicIndex(index)
    case "NSFetchRequestExpression":
      return .fetch(
        try fields.term("NSFRExpression"),
        context: try fields.term("NSMOCExpression"),
        countOnly: fields.integer("NSCountOnlyFlag") == 1
      )
    case "": throw ArchiveError("The archive has no object where an expression is expected")
    default: throw ArchiveError("\(fields.className) is not a supported expression class")
    }
  }

  private static func keyPath(_ fields: some ArchivedFields) throws -> Term {
    guard case .constant(let constant)? = try fields.terms("NSArguments").first,
      case .text(let path) = constant.value, !path.isEmpty
    else {
      throw ArchiveError(
        "An archived NSKeyPathExpression has no key path at the start of its field “NSArguments”"
      )
    }
    let base = try fields.term("NSOperand")
    return base == .evaluatedObject ? .keyPath(path) : .keyPathOf(base, path)
  }

  /// Returns the function or the message that an archived object represents.
  ///
  /// A message with an unsupported selector is returned too; its evaluation throws an error.
  /// - Throws: `ArchiveError` for an unknown function, for a wrong number of arguments, and for a missing or
  ///   invalid field.
  private static func function(_ fields: some ArchivedFields) throws -> Term {
    let selector = try name(fields, "NSSelectorName")
    let arguments = try fields.terms("NSArguments")
    let operand = try fields.term("NSOperand")
    guard operand == predefinedTerm else { return .message(selector, to: operand, arguments) }
    guard let function = Function(selector: selector) else {
      throw ArchiveError("The archived function “\(selector)” is unknown")
    }
    guard function.arity == arguments.count else {
      let number = arguments.count == 1 ? "1 argument" : "\(arguments.count) arguments"
      throw ArchiveError(
        "The archived function “\(selector)” has \(number) instead of \(function.arity)"
      )
    }
    return .function(function, arguments)
  }

  private static func name(_ fields: some ArchivedFields, _ key: String) throws -> String {
    guard let name = fields.text(key), !name.isEmpty else {
      throw ArchiveError("An archived \(fields.className) has no text in the field “\(key)”")
    }
    return name
  }
}
