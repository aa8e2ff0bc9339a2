// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import CoreData
import Foundation
import _CoreDataModel
import _CoreDataTools

struct Explain: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows the SQL of a fetch, SQLite's query plan, and an index that would help.",
    discussion: """
      The fetch is not executed. The plan is SQLite's for this file, and an index is suggested only if \
      SQLite would use it. Predicates are written as for `coredata fetch`. The file is not changed.

        coredata explain Shop.sqlite Product --predicate 'price > 10' --sort -price
      """
  )

  @OptionGroup var storeOptions: StoreOptions

  @Argument(help: "The entity's name.")
  var entity: String

  @OptionGroup var conditions: QueryOptions

  func run() throws {
    try Report.running {
      try StoreOptions.requireFile(
        storeOptions.store,
        "explain",
        because: "it shows the plan of SQLite; EXPLAIN in psql shows that of PostgreSQL"
      )
      let opened = try storeOptions.open()
      let query = conditions.query(try opened.entity(named: entity).name)
      Terminal.write(try ExplanationText(query.explanation(of: opened)).text)
    }
  }
}
#endif
