// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import Foundation
import _CoreDataCodeGeneration
import _CoreDataModel
import _CoreDataTools

enum Report {
  /// Prints a problem in the form of a compiler diagnostic, in which build systems find the file and line.
  static func print(_ problem: ModelProblem) { Terminal.printError("\(problem)") }

  static func failure(_ error: ModelError) -> ExitCode {
    print(ModelProblem(.error, error))
    return .failure
  }

  /// Runs a command; if the command throws an error, prints the error and throws exit code 2.
  ///
  /// If the command throws an exit code, throws that code. If `quiet` is true, the command prints no
  /// warnings, counts or progress.
  static func running(quiet: Bool = false, _ body: () throws -> Void) throws {
    Terminal.isQuiet = quiet
    Terminal.ignoreBrokenPipes()
    Interruption.removeFilesAtSignals()
    defer { Terminal.flush() }
    do {
      try body()
    } catch let code as ExitCode {
      throw code
    } catch {
      Terminal.printError("coredata: \(ToolError(error))")
      throw ExitCode(2)
    }
  }
}
#endif
