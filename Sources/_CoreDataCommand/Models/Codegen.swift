// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import Foundation
import _CoreDataCodeGeneration
import _CoreDataTools

struct Codegen: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes the Swift classes of entities to separate files, in Xcode's three modes.",
    discussion: """
      Mode class writes Team+CoreDataClass.swift and Team+CoreDataProperties.swift for an entity Team. \
      Mode extension writes only Team+CoreDataProperties.swift, and mode none writes no files. Mode model \
      uses the mode that the model specifies for each entity. \
      Existing files are overwritten, unless their content is the same.

        coredata codegen Shop.xcdatamodeld --output Sources/Shop
        coredata codegen Shop.xcdatamodeld --mode class --entity Product
      """
  )

  @Argument(help: "The model.", completion: .file())
  var model: String

  @Option(help: "The version of an .xcdatamodeld; the current version by default.")
  var version: String?

  @Option(help: "The mode: model, class, extension or none.")
  var mode = CodegenMode.model

  @Option(help: "Write only the class of this entity; may be repeated.")
  var entity: [String] = []

  @Option(help: "The access level of the classes: public or internal.")
  var access = AccessLevel.public

  @Option(
    name: .shortAndLong,
    help: "The directory to write to; standard output by default.",
    completion: .directory
  )
  var output: String?

  func run() throws {
    try Report.running {
      let loaded = try ModelOptions.load(model, version: version)
      let classes = try entity.map { name in
        let entity = try loaded.definition.entity(namedOrSuggested: name)
        return entity.className?.split(separator: ".").last.map(String.init) ?? entity.name
      }
      let files = try ModelSource.files(of: loaded.draft, mode: mode, access: access)
        .filter { file in classes.isEmpty || classes.contains { file.name.hasPrefix("\($0)+") } }
      for file in files { try write(file) }
      if files.isEmpty { Terminal.printError(nothing) }
    }
  }

  /// The message that no file is written, with the reason.
  private var nothing: String {
    switch (mode, entity.isEmpty) {
    case (.none, _): "Nothing to write: mode none writes no files."
    case (.model, true):
      "Nothing to write: the model specifies no generated classes. Pass --mode class to write all classes."
    case (.model, false):
      "Nothing to write: the model specifies no generated class for \(entity.joined(separator: " or ")). "
        + "Pass --mode class to write classes that the model does not specify."
    case (.class, _), (.extension, _): "Nothing to write: the model has no entities."
    }
  }

  private func write(_ file: GeneratedFile) throws {
    guard let output else {
      return Terminal.write("// \(file.name)\n\(file.text)\n")
    }
    let folder = URL(fileURLWithPath: output, isDirectory: true)
    let url = folder.appendingPathComponent(file.name)
    // An error from reading is dropped: the file is then written, and an error from writing is reported.
    if (try? Data(contentsOf: url)) == Data(file.text.utf8) { return }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(file.text.utf8).write(to: url)
    } catch {
      throw ToolError("\(url.path): the file cannot be written: \(error.localizedDescription)")
    }
    Terminal.write("\(url.path)\n")
  }
}

extension CodegenMode: ExpressibleByArgument {}
#endif
