// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension Condition {
  /// Returns the archived object of the condition.
  ///
  /// - Throws: `ArchiveError` for a block predicate, which is code and cannot be archived.
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
        "A block predicate cannot be archived, because a closure has no archived form. Create the predicate "
          + "from a format string"
      )
    }
  }

  private static func compound(_ type: Int64, _ members: [Condition]) -> ArchivedPart {
    ArchivedPart(
      "NSCompoundPredicate",
      ["NSCompoundPredicateType": .integer(type), "NSSubpredicates": .conditions(members)]
    )
  }

  /// Reads the condition of an archived object.
  ///
  /// - Throws: `ArchiveError` if the object is not a valid predicate.
  package init(archived fields: some ArchivedFields) throws {
    switch fields.className {
    case "NSTruePredicate": self = .constant(true)
    case "NSFalsePredicate": self = .constant(false)
    case "NSCompoundPredicate":
      let members = try fields.conditions("NSSubpredicates")
      switch (fields.integer("NSCompoundPredicateType"), members.first) {
      case (0, let member?): self = .not(member)
      case (1, _): self = .and(members)
      case (2, _): self = .or(members)
      default: throw ArchiveError("An archived compound predicate has no valid type")
      }
    case "NSComparisonPredicate":
      guard let kind = fields.archivedOperator("NSPredicateOperator") else {
        throw ArchiveError("An archived comparison has no operator")
      }
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
    default: throw ArchiveError("\(fields.className) is not a supported predicate class")
    }
  }
}
