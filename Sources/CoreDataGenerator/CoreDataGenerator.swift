// SPDX-License-Identifier: Apache-2.0

import CoreDataCodeGeneration
import CoreDataModel
import Foundation

/// What the build plugin runs: `CoreDataGenerator MODEL FOLDER` writes the model's classes.
///
/// A model with an error writes nothing, prints the error with file and line, and exits with 1.
@main
enum CoreDataGenerator {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count == 2, let model = arguments.first, let folder = arguments.last else {
      print("usage: CoreDataGenerator MODEL FOLDER; people use `coredata generate`")
      exit(64)
    }
    do {
      try ModelSource.write(
        modelAt: URL(fileURLWithPath: model),
        to: URL(fileURLWithPath: folder, isDirectory: true)
      )
    } catch {
      let finding = error as? ModelError ?? ModelError(file: model, reason: "\(error)")
      FileHandle.standardError.write(Data("\(ModelProblem(.error, finding))\n".utf8))
      exit(1)
    }
  }
}
