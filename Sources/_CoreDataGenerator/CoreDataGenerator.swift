// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataCodeGeneration
import _CoreDataModel

/// What the build plugin runs: `CoreDataGenerator MODEL FOLDER` writes the model's classes.
///
/// A model with an error writes nothing, prints the error with file and line, and exits with 1. What Xcode
/// warns of, such as a relationship without inverse, is printed as a warning of the build.
@main
enum CoreDataGenerator {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 2, let model = arguments.first, let folder = arguments.last else {
      print("usage: CoreDataGenerator MODEL FOLDER; people use `coredata generate`")
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
