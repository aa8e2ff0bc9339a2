// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataTools

struct ModelCompile: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compile",
    abstract: "Compiles a model to a .momd or .mom, as Xcode does.",
    discussion: """
      A .momd contains all versions of an .xcdatamodeld; a .mom contains one version.

        coredata model compile Shop.xcdatamodeld --output Shop.momd
        coredata model compile Shop.xcdatamodeld --version "Shop 2" --output "Shop 2.mom"
      """
  )

  @Argument(help: "The model.", completion: .file())
  var model: String

  @Option(name: .shortAndLong, help: "The .momd folder or .mom file to write.")
  var output: String

  @Option(help: "The version for a .mom; the current version by default.")
  var version: String?

  func validate() throws {
    if !output.hasSuffix(".momd"), !output.hasSuffix(".mom") {
      throw ValidationError("--output must end in .momd or .mom.")
    }
  }

  func run() throws {
    try Report.running {
      let url = URL(fileURLWithPath: model)
      let target = URL(fileURLWithPath: output)
      let predicates = PredicateTexts()
      do {
        if target.pathExtension == "mom" {
          let loaded = try ModelOptions.load(model, version: version)
          return try CompiledModel.write(loaded.definition, to: target, predicates: predicates)
        }
        let versions = try ModelOpening.versions(of: url).map { version in
          let loaded = try ModelOpening.load(version.file)
          return (name: version.name, model: loaded.definition)
        }
        let current = try ModelOpening.currentVersion(of: url) ?? versions.first?.name ?? ""
        try CompiledModel.write(versions, current: current, to: target, predicates: predicates)
      } catch let error as CocoaError {
        throw ToolError("\(output): the model cannot be written: \(error.localizedDescription)")
      }
    }
  }
}
#endif
