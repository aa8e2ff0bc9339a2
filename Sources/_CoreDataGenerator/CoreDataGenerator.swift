// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataCodeGeneration
import _CoreDataModel

/// The tool of the build plugin.
///
/// `CoreDataGenerator MODEL FOLDER` writes the model's classes to the folder. `CoreDataGenerator --mapping MAPPING
/// FILE TARGET MODEL…` checks a mapping model against the models and the Swift files in the folder TARGET, and
/// writes FILE, which contains only a comment and lets the build system skip the check until an input changes.
///
/// If the classes cannot be written or a mapping model has an error, the tool prints the error and exits with 1.
/// Xcode's warnings, such as the warning about a relationship without an inverse, are printed as build warnings.
@main
enum CoreDataGenerator {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if arguments.first == "--mapping", arguments.count >= 4 {
      return check(
        mapping: arguments[1],
        result: arguments[2],
        target: arguments[3],
        models: Array(arguments[4...])
      )
    }
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
      write(warnings)
    } catch {
      fail(error, model)
    }
  }

  private static func check(mapping: String, result: String, target: String, models: [String]) {
    let folder = URL(fileURLWithPath: target, isDirectory: true)
    let problems = MappingModelCheck.problems(
      of: URL(fileURLWithPath: mapping),
      models: models.map { URL(fileURLWithPath: $0) },
      sources: (FileManager.default.subpaths(atPath: target) ?? [])
        .filter { $0.hasSuffix(".swift") }.map(folder.appendingPathComponent)
    )
    write(problems)
    if problems.contains(where: { $0.severity == .error }) { exit(1) }
    do {
      let name = URL(fileURLWithPath: mapping).lastPathComponent
      try Data("// \(name) was checked by CoreDataModelPlugin.\n".utf8)
        .write(to: URL(fileURLWithPath: result))
    } catch {
      fail(error, result)
    }
  }

  private static func write(_ problems: [ModelProblem]) {
    for problem in problems { FileHandle.standardError.write(Data("\(problem)\n".utf8)) }
  }

  private static func fail(_ error: any Error, _ file: String) -> Never {
    write([ModelProblem(.error, error as? ModelError ?? ModelError(file: file, reason: "\(error)"))]
    )
    exit(1)
  }
}
