// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataCodeGeneration
import _CoreDataModel

/// The tool of the build plugin.
///
/// - `CoreDataGenerator MODEL FOLDER [COMPILED]` writes the model's classes to the folder and, if COMPILED is
///   the path of a `.momd` or a `.mom`, the compiled model to this path.
/// - `CoreDataGenerator --managed LIST FOLDER` writes the accessors of a target's `@NSManaged` members to the
///   folder; `SourceList` describes the list.
/// - `CoreDataGenerator --mapping MAPPING FILE COPY TARGET MODEL…` checks a mapping model against the models
///   and the Swift files in the folder TARGET, and writes FILE. FILE contains only a comment, and lets the
///   build system skip the check until an input changes. If COPY is not empty, the tool also copies the
///   mapping model to this path.
///
/// If there is an error, the tool prints it and exits with 1. Xcode's warnings, such as the warning about a
/// relationship without an inverse, are printed as build warnings.
@main
enum CoreDataGenerator {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch (arguments.first, arguments.count) {
    case ("--mapping", 5...):
      check(
        mapping: arguments[1],
        result: arguments[2],
        copy: arguments[3],
        target: arguments[4],
        models: Array(arguments[5...])
      )
    case ("--managed", 3):
      write(for: arguments[1]) {
        let folder = URL(fileURLWithPath: arguments[2], isDirectory: true)
        return try ManagedAccessors.write(SourceList.input(at: arguments[1]), to: folder)
      }
    case (let model?, 2...3):
      write(for: model) {
        let url = URL(fileURLWithPath: model)
        let folder = URL(fileURLWithPath: arguments[1], isDirectory: true)
        let problems = try ModelSource.write(modelAt: url, to: folder)
        if arguments.count == 2 { return problems }
        let compiled = URL(fileURLWithPath: arguments[2])
        return try problems + CompiledModelFile.write(modelAt: url, to: compiled)
      }
    default:
      Swift.print(
        "usage: CoreDataGenerator MODEL FOLDER [COMPILED] (used by the build plugin; see `coredata codegen`)"
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

  private static func check(
    mapping: String,
    result: String,
    copy: String,
    target: String,
    models: [String]
  ) {
    let folder = URL(fileURLWithPath: target, isDirectory: true)
    write(for: result) {
      let problems = MappingModelCheck.problems(
        of: URL(fileURLWithPath: mapping),
        models: models.map { URL(fileURLWithPath: $0) },
        sources: (FileManager.default.subpaths(atPath: target) ?? [])
          .filter { $0.hasSuffix(".swift") }.map(folder.appendingPathComponent)
      )
      if !problems.contains(where: { $0.severity == .error }) {
        if !copy.isEmpty {
          let files = FileManager.default
          if files.fileExists(atPath: copy) { try files.removeItem(atPath: copy) }
          try files.copyItem(atPath: mapping, toPath: copy)
        }
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
