// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import Foundation
import _CoreDataTools

struct ModelDecompile: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decompile",
    abstract: "Converts a compiled model to the files that Xcode edits.",
    discussion: """
      A .momd is converted to an .xcdatamodeld with all its versions. A .mom or a store is converted to \
      an .xcdatamodel with one version. With --output X.xcdatamodel, one version of a .momd is converted. \
      Without --output, the folder has the model's name and must not exist. With --output, an existing \
      folder is updated: what compiled models do not contain, such as Xcode's layout, is preserved.

        coredata model decompile Shop.momd
        coredata model decompile Shop.momd --version "Shop 2" --output "Shop 2.xcdatamodel"
        coredata model decompile Shop.sqlite --output Shop.xcdatamodel
      """
  )

  @Argument(help: "The compiled model (.momd, .mom), or a store.", completion: .file())
  var model: String

  @Option(name: .shortAndLong, help: "The .xcdatamodeld or .xcdatamodel folder to write.")
  var output: String?

  @Option(help: "The version to write; all versions by default.")
  var version: String?

  func validate() throws {
    if let output, !output.hasSuffix(".xcdatamodeld"), !output.hasSuffix(".xcdatamodel") {
      throw ValidationError("--output must end in .xcdatamodeld or .xcdatamodel.")
    }
  }

  func run() throws {
    try Report.running {
      let url = URL(fileURLWithPath: model)
      let decompiler = try Decompiler(url, version: version)
      decompiler.versions.forEach(ModelOptions.warn)
      let target = try self.output ?? fresh(for: url)
      for lack in try decompiler.write(to: URL(fileURLWithPath: target)) {
        Terminal.printError("warning: \(lack)")
      }
      Terminal.write("\(target)\n")
      if target.hasSuffix(".xcdatamodel") { return }
      for version in decompiler.versions {
        let mark = version.name == decompiler.current ? " (current)" : ""
        Terminal.write("  \(version.name)\(mark)\n")
      }
    }
  }

  /// Returns the default name of the output folder.
  ///
  /// - Throws: `ToolError` if a folder or file with this name exists.
  private func fresh(for url: URL) throws -> String {
    let isFolder = url.pathExtension == "momd" && version == nil
    let name = version ?? url.deletingPathExtension().lastPathComponent
    let target = name + (isFolder ? ".xcdatamodeld" : ".xcdatamodel")
    var isDirectory: ObjCBool = false
    if FileManager.default.fileExists(atPath: target, isDirectory: &isDirectory) {
      if !isDirectory.boolValue {
        throw ToolError(
          "\(target): a file with the name of the folder already exists",
          hint: "Pass another path as --output, or move the file away."
        )
      }
      throw ToolError(
        "\(target): the folder already exists",
        hint: "Pass it as --output to update it, or pass another path."
      )
    }
    return target
  }
}
#endif
