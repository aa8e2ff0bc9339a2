// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import Foundation
import _CoreDataModel
import _CoreDataTools

struct ModelDiff: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compares two models, and reports whether stores need a migration.",
    discussion: """
      Exits with 0 if the models are equal, with 1 if they differ. To compare two versions of one \
      model, use --from and --to.

        coredata model diff Old.xcdatamodel New.xcdatamodel
        coredata model diff Shop.xcdatamodeld --from "Shop 2" --to "Shop 3"
      """
  )

  @Argument(help: "The old model, or one with both versions.", completion: .file())
  var old: String

  @Argument(help: "The new model.", completion: .file())
  var new: String?

  @Option(help: "The old version.")
  var from: String?

  @Option(help: "The new version.")
  var to: String?

  @OptionGroup var format: FormatOptions

  func run() throws {
    try Report.running {
      let before = try ModelOptions.load(old, version: from)
      let after = try ModelOptions.load(new ?? old, version: to)
      let difference = ModelDifference(from: before.definition, to: after.definition)
      if format.format == .table {
        Terminal.write(difference.text)
      } else {
        var writer = format.writer(ModelDifference.columns)
        for row in difference.rows { writer.write(row) }
        writer.finish()
      }
      if !difference.isEmpty || difference.needsMigration { throw ExitCode(1) }
    }
  }

  func validate() throws {
    if new == nil, from == nil || to == nil {
      throw ValidationError(
        "Pass a second model, or two versions of one model with --from and --to."
      )
    }
  }
}
#endif
