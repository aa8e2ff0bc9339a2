// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension Condition {
  /// Returns the object that represents the condition in an archive.
  ///
  /// - Throws: `ArchiveError` for a block predicate or a predicate of a custom class, because code cannot be
  ///   archived. Nested predicates and expressions are not checked.
  package func archivedPart() throws -> ArchivedPart {
    switch self {
    case .constant(true): ArchivedPart("NSTruePredicate", [:])
    case .constant(false): ArchivedPart("NSFalsePredicate", [:])
    case .not(let member): Self.compound(0, [member])
    case .and(let members): Self.compound(1, members)
    case .or(let members): Self.compound(2, members)
    case .comparison(let comparison):
      ArchivedPart(
        "NSComparisonPredicate",
        [
          "NSLeftExpression": .term(comparison.left),
          "NSRightExpression": .term(comparison.right),
          "NSPredicateOperator": .part(ArchivedOperator(comparison).part),
        ]
      )
    case .opaque:
      throw ArchiveError(
        "A block predicate or a predicate of a custom class cannot be archived, because code has no archived "
          + "form. Create the predicate from a format string"
      )
    }
  }

  private static func compound(_ type: Int64, _ members: [Condition]) -> ArchivedPart {
    ArchivedPart(
      "NSCompoundPredicate",
      ["NSCompoundPredicateType": .integer(type), "NSSubpredicates": .conditions(members)]
    )
  }

  /// Creates the condition that an archived object represents.
  ///
  /// - Throws: `ArchiveError` if the object is not a valid predicate.
  package init(archived fields: some ArchivedFields) throws {
    switch fields.className {
    case "NSTruePredicate": self = .constant(true)
    case "NSFalsePredicate": self = .constant(false)
    case "NSCompoundPredicate":
      let members = try fields.conditions("NSSubpredicates")
      switch fields.integer("NSCompoundPredicateType") {
      case 0:
        guard let member = members.first else {
          throw ArchiveError("An archived NOT predicate has no subpredicate")
        }
        self = .not(member)
      case 1: self = .and(members)
      case 2: self = .or(members)
      case let type:
        throw ArchiveError(
          "An archived compound predicate has \(type.map { "the type \($0)" } ?? "no type"); expected 0 "
            + "(NOT), 1 (AND) or 2 (OR)"
        )
      }
    case "NSComparisonPredicate":
      let kind = try fields.archivedOperator("NSPredicateOperator")
      self = .comparison(
        Comparison(
          try fields.term("NSLeftExpression"),
          kind.relation,
          try fields.term("NSRightExpression"),
          modifier: kind.modifier,
          options: kind.options,
          selector: kind.selector
        )
      )
    case "": throw ArchiveError("The archive has no object where a predicate is expected")
    default: throw ArchiveError("\(fields.className) is not a supported predicate class")
    }
  }
}
