// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// The compiled form of a model, which the build plugin adds to the resources of the model's target.
package enum CompiledModelFile {
  /// Compiles the model at `url`: all versions to a `.momd` folder, or the current version to a `.mom` file,
  /// depending on the extension of `destination`.
  ///
  /// A version that cannot be compiled, for example because it has composite attributes, is copied into the
  /// `.momd` folder as source, which `NSManagedObjectModel(contentsOf:)` can also read. A file or folder that
  /// already exists at `destination` is deleted.
  ///
  /// - Returns: a note for each version that cannot be compiled, and a warning for each version that is not a
  ///   valid model.
  /// - Throws: `ModelError` if a `.mom` file cannot be compiled, or if the files cannot be read or written.
  package static func write(modelAt url: URL, to destination: URL) throws -> [ModelProblem] {
    let files = FileManager.default
    do {
      if files.fileExists(atPath: destination.path) { try files.removeItem(at: destination) }
      try files.createDirectory(
        at: destination.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      if destination.pathExtension == "momd" { return try writeFolder(url, destination) }
      let model = try ModelDefinition(ModelFile.draft(at: url))
      try CompiledModel.write(model, to: destination, predicates: PredicateTexts())
      return []
    } catch let error as ModelError {
      throw error
    } catch {
      throw ModelError(
        file: destination.path,
        reason: "the compiled model cannot be written: \(error.localizedDescription)"
      )
    }
  }

  private static func writeFolder(_ url: URL, _ folder: URL) throws -> [ModelProblem] {
    let versions = try ModelFile.versions(of: url)
    var models: [(name: String, model: ModelDefinition)] = []
    var problems: [ModelProblem] = []
    for version in versions {
      do {
        models.append((version.name, try ModelDefinition(ModelFile.draft(at: version.contents))))
      } catch var error as ModelError {
        // Without its current version, the model is not compiled; an error in another version is only a
        // warning.
        if version.isCurrent { throw error }
        error.file = error.file ?? version.contents.path
        problems.append(ModelProblem(.warning, error))
        if FileManager.default.fileExists(atPath: version.contents.path) {
          try CompiledModel.copy(version.contents, ofVersion: version.name, to: folder)
        }
      }
    }
    let contents = Dictionary(uniqueKeysWithValues: versions.map { ($0.name, $0.contents) })
    let copied = try CompiledModel.write(
      models,
      current: versions.first(where: \.isCurrent)?.name ?? "",
      to: folder,
      predicates: PredicateTexts(),
      sources: contents
    )
    return problems
      + copied.map { version, reason in
        var finding = reason
        finding.file = contents[version]?.path
        finding.reason =
          "\(folder.lastPathComponent) contains this version as source: \(reason.reason)"
        return ModelProblem(.note, finding)
      }
  }
}
