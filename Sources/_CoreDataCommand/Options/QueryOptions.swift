// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import Foundation
import _CoreDataTools

/// The options of `coredata fetch` and `coredata explain` that select, sort and limit objects.
struct QueryOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    parsing: .unconditional,
    help: "A predicate format string."
  )
  var predicate: String?

  @Option(
    name: .shortAndLong,
    parsing: .unconditional,
    help: "The keys to sort by, separated by commas; -key or key:desc is descending."
  )
  var sort: String?

  @Option(name: .shortAndLong, help: "The maximum number of objects; 0 means all.")
  var limit: Int = 0

  @Option(help: "The number of objects to skip.")
  var offset: Int = 0

  @Flag(name: .long, help: "Exclude objects of subentities.")
  var exact = false

  func validate() throws {
    if limit < 0 || offset < 0 {
      throw ValidationError("--limit and --offset must be 0 or more.")
    }
  }

  func query(_ entity: String) -> ObjectQuery {
    var query = ObjectQuery(entity: entity)
    query.predicate = predicate
    query.sort = commaSeparated(sort)
    query.limit = limit
    query.offset = offset
    query.includesSubentities = !exact
    return query
  }
}

/// Returns the comma-separated parts of a text, without surrounding white space; an empty array for nil.
///
/// Consecutive commas count as one.
func commaSeparated(_ text: String?) -> [String] {
  (text ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
}
#endif
