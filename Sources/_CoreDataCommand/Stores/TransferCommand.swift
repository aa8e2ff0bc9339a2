// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import Foundation
import _CoreDataModel
import _CoreDataStore
import _CoreDataTools

struct TransferCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transfer",
    abstract: "Copies a store to a store of another type: SQLite, PostgreSQL, XML or binary.",
    discussion: """
      The objects keep their primary keys, and the application's metadata are copied. The new store has its \
      own UUID and no history, so URIs of objects change. An SQLite or PostgreSQL store may be in use: the \
      copy contains its objects as they were at the beginning. The copy appears in one step; after an error \
      or an interruption, the destination is unchanged.

      The destination is a file, or the URL of a database. A file whose name ends with .xml or .binary has \
      that type, any other file is an SQLite store. A destination with objects is refused without --replace. \
      XML and binary stores have no copy of their model, so pass it with --model.

      A block of 5,000 objects, and eight bytes for each object of an entity, are in memory; for an XML or \
      binary store, all objects.

      --check then compares the stores object by object, and the exit code is 1 if they differ.

        coredata transfer Shop.sqlite 'postgresql://shop@db.example.org/shop?schema=shop' --check
        coredata transfer 'postgresql://shop@db.example.org/shop?schema=shop' Copy.sqlite
        coredata transfer Shop.sqlite Shop.xml
      """
  )

  @OptionGroup var storeOptions: StoreOptions

  @Argument(help: "The file, or the URL of the PostgreSQL database, to write.", completion: .file())
  var destination: String

  @Option(help: "The type of the new store: sqlite, xml, binary or postgresql.")
  var type: String?

  @Flag(help: "Replace a store with objects, or another file, at the destination.")
  var replace = false

  @Flag(help: "Compare the stores afterwards, object by object.")
  var check = false

  @OptionGroup var verbosity: QuietOption

  func run() throws {
    try Report.running(quiet: verbosity.quiet) {
      let place = try StoreLocation(new: StoreLocation.url(destination), type: type)
      let transfer = try StoreTransfer(
        from: storeOptions.storeURL,
        model: storeOptions.modelURL,
        to: place,
        replaces: replace
      )
      defer { transfer.close() }
      let count = try transfer.count()
      let copying = Progress("Copying", total: count)
      var copied = 0
      let numbers = try transfer.run { done in
        copied = done
        copying.update(done)
      }
      copying.finish()
      Terminal.printLine("\(place.text): \(CellText.objects(copied))\n")
      if check { try compare(transfer, numbers, count) }
    }
  }

  private func compare(_ transfer: StoreTransfer, _ numbers: FileNumbers?, _ count: Int) throws {
    let comparing = Progress("Comparing", total: count)
    let comparison = try transfer.comparison(numbers) { comparing.update($0) }
    comparing.finish()
    if comparison.differences.isEmpty {
      Terminal.printLine("equal: \(CellText.objects(comparison.count)) compared\n")
      return
    }
    for line in comparison.differences { Terminal.printError(line) }
    if comparison.differences.count == ContentComparison.limit {
      Terminal.printError("and perhaps more; the comparison stops here")
    }
    throw ExitCode(1)
  }
}
#endif
