// SPDX-License-Identifier: Apache-2.0

import Foundation

// Foundation's compound predicates print as FALSEPREDICATE, and any two of them are equal. Its class
// cannot be changed, and a class of the same name would be ambiguous beside `import Foundation`; but a
// function of that name is not: calls find it before the class's initialisers, and everything that
// names the type still finds the type. `docs/decisions/0005-compound-predicates.md`.

/// A predicate that holds where all of its members hold; one without members holds always.
///
/// Source: documented (NSCompoundPredicate).
public func NSCompoundPredicate(
  andPredicateWithSubpredicates subpredicates: [NSPredicate]
) -> Foundation.NSCompoundPredicate {
  ParsedCompoundPredicate(.and, subpredicates)
}

/// A predicate that holds where one of its members holds; one without members never holds.
///
/// Source: documented (NSCompoundPredicate).
public func NSCompoundPredicate(
  orPredicateWithSubpredicates subpredicates: [NSPredicate]
) -> Foundation.NSCompoundPredicate {
  ParsedCompoundPredicate(.or, subpredicates)
}

/// A predicate that holds where its member does not.
///
/// Source: documented (NSCompoundPredicate).
public func NSCompoundPredicate(
  notPredicateWithSubpredicate predicate: NSPredicate
) -> Foundation.NSCompoundPredicate {
  ParsedCompoundPredicate(.not, [predicate])
}

/// A predicate of a logical type over its members.
///
/// NOT takes the first member. Source: documented (NSCompoundPredicate).
public func NSCompoundPredicate(
  type: Foundation.NSCompoundPredicate.LogicalType,
  subpredicates: [NSPredicate]
) -> Foundation.NSCompoundPredicate {
  ParsedCompoundPredicate(type, subpredicates)
}
