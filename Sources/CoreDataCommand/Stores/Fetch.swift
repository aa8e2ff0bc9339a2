// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreData
import CoreDataModel
import CoreDataTools
import Foundation

/// `coredata fetch`: objects of one entity.
struct Fetch: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows the objects of an entity that meet a condition.",
    discussion: """
      Dates are ISO 8601 in UTC, binary data its size, a to-one the object's ID, a to-many the \
      number of its members; named in --keypaths, the IDs of its members. The file is not changed.

        coredata fetch Shop.sqlite Product --predicate 'name CONTAINS[cd] "tea"' --sort -price
        coredata fetch Shop.sqlite Order --keypaths date,customer.name,items.@sum.price --csv
        coredata fetch Shop.sqlite Product --count
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

  @Option(
    name: .shortAndLong,
    help: "Columns to show, separated by commas: properties, key paths, id, entity."
  )
  var keypaths: String?

  @Flag(help: "IDs of the members of to-manys instead of their number.")
  var members = false

  @Flag(name: .long, help: "Only the number of objects.")
  var count = false

  @Flag(name: .long, help: "Leave out objects of sub-entities.")
  var exact = false

  @Flag(name: .long, help: "Binary data in Base64 instead of its size.")
  var data = false

  @OptionGroup var format: FormatOptions

  func validate() throws {
    if limit < 0 || offset < 0 {
      throw ValidationError("--limit and --offset are whole numbers from 0.")
    }
  }

  func run() throws {
    try Report.running {
      let opened = try place.open()
      let definition = try opened.entity(named: entity)
      var query = ObjectQuery(entity: definition.name)
      query.predicate = predicate
      query.sort = list(sort)
      query.limit = limit
      query.offset = offset
      query.includesSubentities = !exact
      let columns =
        try list(keypaths).isEmpty
        ? ObjectColumns(of: definition, listsMembers: members)
        : ObjectColumns(keyPaths: list(keypaths), of: definition, in: opened.model)
      let context = opened.newContext()
      try context.performAndWait {
        if count {
          return Terminal.write("\(try query.count(in: context, of: opened))\n")
        }
        try show(query, columns, context, opened)
      }
    }
  }

  private func show(
    _ query: ObjectQuery,
    _ columns: ObjectColumns,
    _ context: NSManagedObjectContext,
    _ opened: OpenedStore
  ) throws {
    let ids = try query.ids(in: context, of: opened)
    var writer = format.writer(columns.names, .init(writesData: data))
    let progress = Progress("Reading", total: ids.count)
    try ObjectReader(opened, context, columns).forEach(ids) { row in
      writer.write(row)
      if writer.count % 1000 == 0 { progress.update(writer.count) }
    }
    progress.finish()
    writer.finish()
    if format.format == .table, Terminal.outputWidth != nil {
      Terminal.complain("\(CellText.count(ids.count)) objects")
    }
  }

  private func list(_ text: String?) -> [String] {
    (text ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
  }
}
