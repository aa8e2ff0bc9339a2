// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataCodeGeneration
import _CoreDataModel

/// The tool of the build plugin: `CoreDataGenerator MODEL FOLDER` writes the model's classes to the folder.
///
/// If the classes cannot be written, for example because the model has an error, the tool prints the error
/// and exits with 1. Xcode's warnings, such as the warning about a relationship without an inverse, are
/// printed as build warnings.
@main
enum CoreDataGenerator {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 2, let model = arguments.first, let folder = arguments.last else {
      print(
        "usage: CoreDataGenerator MODEL FOLDER (used by the build plugin; see `coredata codegen`)"
      )
      exit(64)
    }
    do {
      let warnings = try ModelSource.write(
        modelAt: URL(fileURLWithPath: model),
        to: URL(fileURLWithPath: folder, isDirectory: true)
      )
      for warning in warnings { FileHandle.standardError.write(Data("\(warning)\n".utf8)) }
    } catch {
      let finding = error as? ModelError ?? ModelError(file: model, reason: "\(error)")
      FileHandle.standardError.write(Data("\(ModelProblem(.error, finding))\n".utf8))
      exit(1)
    }
  }
}
