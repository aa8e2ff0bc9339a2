// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataCodeGeneration
import _CoreDataModel

/// The tool of the build plugin.
///
/// `CoreDataGenerator MODEL FOLDER` writes the model's classes to the folder, and `CoreDataGenerator --managed LIST
/// FOLDER` the accessors of a target's `@NSManaged` members; `SourceList` describes the list.
///
/// If the code cannot be written, for example because the model has an error, the tool prints the error and
/// exits with 1. Xcode's warnings, such as the warning about a relationship without an inverse, are printed as
/// build warnings.
@main
enum CoreDataGenerator {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard let first = arguments.first, let folder = arguments.last,
      arguments.count == (first == "--managed" ? 3 : 2)
    else {
      print(
        "usage: CoreDataGenerator MODEL FOLDER (used by the build plugin; see `coredata codegen`)"
      )
      exit(64)
    }
    let destination = URL(fileURLWithPath: folder, isDirectory: true)
    do {
      let problems =
        try first == "--managed"
        ? ManagedAccessors.write(SourceList.input(at: Array(arguments)[1]), to: destination)
        : ModelSource.write(modelAt: URL(fileURLWithPath: first), to: destination)
      for problem in problems { printError("\(problem)") }
      if problems.contains(where: { $0.severity == .error }) { exit(1) }
    } catch {
      let finding = error as? ModelError ?? ModelError(file: first, reason: "\(error)")
      printError("\(ModelProblem(.error, finding))")
      exit(1)
    }
  }

  private static func printError(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }
}
