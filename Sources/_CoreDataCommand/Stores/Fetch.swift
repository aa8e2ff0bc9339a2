// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import CoreData
import Foundation
import _CoreDataModel
import _CoreDataTools

struct Fetch: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Shows the objects of an entity that match a predicate.",
    discussion: """
      Without an entity, the command lists all entities with the number of their objects. The file \
      is not changed.

      Dates are shown in ISO 8601 and UTC, binary data as its size, a to-one as the object's ID, and a \
      to-many as the number of its members or, in --keypaths, as the IDs of its members. In a \
      terminal only the columns that fit are shown: --keypaths selects columns, --wide shows all.

      In predicates, write dates in the same form ("2022-07-01", "2022-07-01T18:30:00Z"), and objects \
      by their IDs ('Person/p14').

        coredata fetch Shop.sqlite Product --predicate 'name CONTAINS[cd] "tea"' --sort -price
        coredata fetch Shop.sqlite Order --predicate 'date >= "2022-07-01"' --count
        coredata fetch Shop.sqlite Order --keypaths date,customer.name,items.@sum.price --csv
        coredata fetch Shop.sqlite Product --group category.name --sort -count
      """
  )

  @OptionGroup var storeOptions: StoreOptions

  @Argument(help: "The entity's name.")
  var entity: String?

  @OptionGroup var conditions: QueryOptions

  @Option(
    name: .shortAndLong,
    help: "The columns to show, separated by commas: properties, key paths, id, entity."
  )
  var keypaths: String?

  @Option(
    name: .shortAndLong,
    help:
      "Count objects by the values of these comma-separated keys; --sort accepts these keys and “count”."
  )
  var group: String?

  @Flag(help: "Show the IDs of the members of to-manys instead of their number.")
  var members = false

  @Flag(name: .long, help: "Print only the number of objects.")
  var count = false

  @Flag(name: .long, help: "Show binary data in Base64 instead of its size.")
  var data = false

  @OptionGroup var format: FormatOptions
  @OptionGroup var verbosity: QuietOption

  func validate() throws {
    let needEntity = [conditions.predicate, conditions.sort, keypaths, group]
    if entity == nil, count || needEntity.contains(where: { $0 != nil }) {
      throw ValidationError(
        "--predicate, --sort, --keypaths, --group and --count require an entity. Pass its name after the "
          + "store."
      )
    }
    if group != nil, keypaths != nil || count || members {
      throw ValidationError("--group cannot be combined with --keypaths, --count or --members.")
    }
  }

  func run() throws {
    try Report.running(quiet: verbosity.quiet) {
      let opened = try storeOptions.open()
      guard let entity else { return try listEntities(of: opened) }
      let definition = try opened.entity(named: entity)
      let query = conditions.query(definition.name)
      if group != nil { return try showGroups(query, opened) }
      let columns =
        try commaSeparated(keypaths).isEmpty
        ? ObjectColumns(of: definition, listsMembers: members)
        : ObjectColumns(keyPaths: commaSeparated(keypaths), of: definition, in: opened.model)
      let context = opened.newContext()
      try context.performAndWait {
        if count {
          return Terminal.write("\(try query.count(in: context, of: opened))\n")
        }
        try show(query, columns, in: context, of: opened)
      }
    }
  }

  private func listEntities(of opened: OpenedStore) throws {
    var writer = format.writer(["entity", "objects"])
    let context = opened.newContext()
    try context.performAndWait {
      for entity in opened.model.entities {
        let count = try conditions.query(entity.name).count(in: context, of: opened)
        writer.write([.text(entity.name), .int(Int64(count))])
      }
    }
    writer.finish()
  }

  private func showGroups(_ query: ObjectQuery, _ opened: OpenedStore) throws {
    let keys = commaSeparated(group)
    var writer = format.writer(keys + [ObjectQuery.countColumn], .init(writesData: data))
    let context = opened.newContext()
    try context.performAndWait {
      for row in try query.groups(by: keys, in: context, of: opened) { writer.write(row) }
    }
    writer.finish()
  }

  private func show(
    _ query: ObjectQuery,
    _ columns: ObjectColumns,
    in context: NSManagedObjectContext,
    of opened: OpenedStore
  ) throws {
    let ids = try query.ids(in: context, of: opened)
    var writer = format.writer(columns.names, .init(writesData: data), remedy: "select with -k")
    let progress = Progress("Reading", total: ids.count)
    try ObjectReader(opened, context, columns).forEach(ids) { row in
      writer.write(row)
      if writer.count % 1000 == 0 { progress.update(writer.count) }
    }
    progress.finish()
    writer.finish()
    if format.format == .table, Terminal.outputWidth != nil, !verbosity.quiet {
      let isPart = query.limit > 0 && ids.count == query.limit || query.offset > 0
      let total = isPart ? try query.total(in: context, of: opened) : ids.count
      Terminal.printNotice(CellText.objects(ids.count, of: total))
    }
  }
}
#endif
