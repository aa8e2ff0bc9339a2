// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataCodeGeneration
import _CoreDataModel

/// The tool of the build plugin.
///
/// - `CoreDataGenerator MODEL FOLDER` writes the model's classes to the folder.
/// - `CoreDataGenerator --managed LIST FOLDER` writes the accessors of a target's `@NSManaged` members to the
///   folder; `SourceList` describes the list.
/// - `CoreDataGenerator --mapping MAPPING FILE TARGET MODEL…` checks a mapping model against the models and
///   the Swift files in the folder TARGET, and writes FILE, which contains only a comment and lets the build
///   system skip the check until an input changes.
///
/// If there is an error, the tool prints it and exits with 1. Xcode's warnings, such as the warning about a
/// relationship without an inverse, are printed as build warnings.
@main
enum CoreDataGenerator {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch (arguments.first, arguments.count) {
    case ("--mapping", 4...):
      check(
        mapping: arguments[1],
        result: arguments[2],
        target: arguments[3],
        models: Array(arguments[4...])
      )
    case ("--managed", 3):
      write(for: arguments[1]) {
        let folder = URL(fileURLWithPath: arguments[2], isDirectory: true)
        return try ManagedAccessors.write(SourceList.input(at: arguments[1]), to: folder)
      }
    case (let model?, 2):
      write(for: model) {
        let folder = URL(fileURLWithPath: arguments[1], isDirectory: true)
        return try ModelSource.write(modelAt: URL(fileURLWithPath: model), to: folder)
      }
    default:
      Swift.print(
        "usage: CoreDataGenerator MODEL FOLDER (used by the build plugin; see `coredata codegen`)"
      )
      exit(64)
    }
  }

  /// Prints the problems that `body` returns; exits with 1 if one of them is an error, or if `body` throws.
  private static func write(for file: String, _ body: () throws -> [ModelProblem]) {
    do {
      let problems = try body()
      print(problems)
      if problems.contains(where: { $0.severity == .error }) { exit(1) }
    } catch {
      fail(error, file)
    }
  }

  private static func check(mapping: String, result: String, target: String, models: [String]) {
    let folder = URL(fileURLWithPath: target, isDirectory: true)
    write(for: result) {
      let problems = MappingModelCheck.problems(
        of: URL(fileURLWithPath: mapping),
        models: models.map { URL(fileURLWithPath: $0) },
        sources: (FileManager.default.subpaths(atPath: target) ?? [])
          .filter { $0.hasSuffix(".swift") }.map(folder.appendingPathComponent)
      )
      if !problems.contains(where: { $0.severity == .error }) {
        let name = URL(fileURLWithPath: mapping).lastPathComponent
        try Data("// \(name) was checked by CoreDataModelPlugin.\n".utf8)
          .write(to: URL(fileURLWithPath: result))
      }
      return problems
    }
  }

  private static func print(_ problems: [ModelProblem]) {
    for problem in problems { FileHandle.standardError.write(Data("\(problem)\n".utf8)) }
  }

  private static func fail(_ error: any Error, _ file: String) -> Never {
    print([ModelProblem(.error, error as? ModelError ?? ModelError(file: file, reason: "\(error)"))]
    )
    exit(1)
  }
}
