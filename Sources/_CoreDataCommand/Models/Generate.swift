// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import Foundation
import _CoreDataCodeGeneration
import _CoreDataModel

struct Generate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes the Swift classes of a model's entities, as the build plugin does.",
    discussion: """
      Writes MODEL+Model.swift: a class for each entity whose code generation is “class”, an \
      extension for each with “category”, and nothing for other entities. The current version of an \
      .xcdatamodeld is used. If the model has an error, the command writes nothing, prints the error with \
      file and line, and exits with 1.

      `coredata codegen` writes a file for each class, as Xcode does.
      """,
    shouldDisplay: false
  )

  @Option(help: "The .xcdatamodeld, .xcdatamodel or contents file.", completion: .file())
  var model: String

  @Option(help: "The directory to write to; created if it does not exist.", completion: .directory)
  var output: String

  @Option(help: "The access level of the classes: public or internal.")
  var access = AccessLevel.public

  func run() throws {
    do {
      try ModelSource.write(
        modelAt: URL(fileURLWithPath: model),
        to: URL(fileURLWithPath: output, isDirectory: true),
        access: access
      )
    } catch let error as ModelError {
      throw Report.failure(error)
    }
  }
}

extension AccessLevel: ExpressibleByArgument {}
#endif
