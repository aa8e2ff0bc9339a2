// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreDataCodeGeneration
import CoreDataModel
import Foundation

/// Prints problems on standard error, in the form that build systems show beside the file.
enum Report {
  static func print(_ problem: ModelProblem) {
    FileHandle.standardError.write(Data("\(problem)\n".utf8))
  }

  /// Prints the error, and gives the exit code 1 to throw.
  static func failure(_ error: ModelError) -> ExitCode {
    print(ModelProblem(.error, error))
    return .failure
  }
}
