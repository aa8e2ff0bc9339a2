// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreData
import Foundation
import _CoreDataModel
import _CoreDataTools

/// `coredata explain`: how a fetch would be answered.
struct Explain: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows the SQL of a fetch, the engine's plan, and the index that would help.",
    discussion: """
      Fetches nothing. The plan is the engine's own for this file; an index is only named where the \
      engine says that it would use it. Conditions are those of `coredata fetch`. The file is not \
      changed.

        coredata explain Shop.sqlite Product --predicate 'price > 10' --sort -price
      """
  )

  @OptionGroup var place: StoreOptions

  @Argument(help: "The entity's name.")
  var entity: String

  @Option(
    name: .shortAndLong,
    parsing: .unconditional,
    help: "A condition in the predicate format language."
  )
  var predicate: String?

  @Option(
    name: .shortAndLong,
    parsing: .unconditional,
    help: "Keys to sort by, separated by commas; -key or key:desc for descending."
  )
  var sort: String?

  @Option(name: .shortAndLong, help: "At most this many objects; 0 for all.")
  var limit: Int = 0

  @Option(help: "Pass over this many objects.")
  var offset: Int = 0

  @Flag(name: .long, help: "Leave out objects of sub-entities.")
  var exact = false

  func validate() throws {
    if limit < 0 || offset < 0 {
      throw ValidationError("--limit and --offset are whole numbers from 0.")
    }
  }

  func run() throws {
    try Report.running {
      let opened = try place.open()
      var query = ObjectQuery(entity: try opened.entity(named: entity).name)
      query.predicate = predicate
      query.sort = (sort ?? "").split(separator: ",").map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      query.limit = limit
      query.offset = offset
      query.includesSubentities = !exact
      Terminal.write(try ExplanationText(query.explanation(of: opened)).text)
    }
  }
}
