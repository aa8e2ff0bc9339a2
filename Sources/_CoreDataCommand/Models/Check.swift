// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import Foundation
import _CoreDataCodeGeneration
import _CoreDataModel
import _CoreDataTools

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints the errors and warnings of models.",
    discussion: """
      Checks every version of a .xcdatamodeld or .momd. Exits with 1 if there is an error.

        coredata model check Shop.xcdatamodeld
      """
  )

  @Argument(
    help: "The models: .xcdatamodeld, .xcdatamodel, contents files, .momd, .mom, or stores."
  )
  var models: [String]

  func run() throws {
    let problems = models.flatMap { Self.problems(at: URL(fileURLWithPath: $0)) }
    for problem in problems { Report.print(problem) }
    if problems.contains(where: { $0.severity == .error }) { throw ExitCode.failure }
  }

  private static func problems(at url: URL) -> [ModelProblem] {
    do {
      let versions = try ModelOpening.versions(of: url)
      return try unknownCurrentVersion(of: url, versions.map(\.name))
        + versions.flatMap { problems(inVersion: $0.file) }
    } catch {
      return [problem(error, in: url)]
    }
  }

  private static func unknownCurrentVersion(
    of url: URL,
    _ versions: [String]
  ) throws -> [ModelProblem] {
    if try ModelFile.hasCurrentVersion(url) { return [] }
    let reason =
      "the model has \(CellText.count(versions.count, "version")) but no file .xccurrentversion that names the "
      + "current one, so the first, “\(versions[0])”, is used"
    return [ModelProblem(.warning, ModelError(file: url.path, reason: reason))]
  }

  private static func problems(inVersion file: URL) -> [ModelProblem] {
    do {
      return ModelCheck.problems(of: try ModelOpening.draft(at: file))
    } catch {
      return [problem(error, in: file)]
    }
  }

  private static func problem(_ error: any Error, in file: URL) -> ModelProblem {
    if let error = error as? ModelError { return ModelProblem(.error, error) }
    return ModelProblem(.error, ModelError(file: file.path, reason: "\(ToolError(error))"))
  }
}

struct CheckAlias: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "The former name of `coredata model check`.",
    shouldDisplay: false
  )

  @OptionGroup var check: Check

  func run() throws { try check.run() }
}
#endif
