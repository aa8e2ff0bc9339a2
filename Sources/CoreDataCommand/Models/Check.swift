// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CoreDataCodeGeneration
import CoreDataModel
import Foundation

/// `coredata check`: the problems of models, one a line.
struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints what is wrong or doubtful in models.",
    discussion: "Checks every version of a .xcdatamodeld. Exits with 1 where there is an error."
  )

  @Argument(help: "The .xcdatamodeld or .xcdatamodel folders, or contents files.")
  var models: [String]

  func run() throws {
    let problems = models.flatMap { Self.problems(at: URL(fileURLWithPath: $0)) }
    for problem in problems { Report.print(problem) }
    if problems.contains(where: { $0.severity == .error }) { throw ExitCode.failure }
  }

  private static func problems(at url: URL) -> [ModelProblem] {
    do {
      return try ModelFile.versions(of: url).flatMap { version in
        problems(inContents: version.contents)
      }
    } catch let error as ModelError {
      return [ModelProblem(.error, error)]
    } catch {
      return [ModelProblem(.error, ModelError(file: url.path, reason: "\(error)"))]
    }
  }

  private static func problems(inContents contents: URL) -> [ModelProblem] {
    do {
      return ModelCheck.problems(of: try ModelFile.draft(at: contents))
    } catch let error as ModelError {
      return [ModelProblem(.error, error)]
    } catch {
      return [ModelProblem(.error, ModelError(file: contents.path, reason: "\(error)"))]
    }
  }
}
