// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension ModelSource {
  /// Writes the classes of the model at `url` to a file in `folder`, and creates the folder if it does not
  /// exist.
  ///
  /// - Returns: the warnings about the model.
  /// - Throws: `ModelError` if the model has an error or the file cannot be written.
  @discardableResult
  package static func write(
    modelAt url: URL,
    to folder: URL,
    access: AccessLevel = .public
  ) throws -> [ModelProblem] {
    let name = url.deletingPathExtension().lastPathComponent
    let draft = try ModelFile.draft(at: url)
    let text = try ModelSource(draft, modelName: name, access: access).text()
    let file = folder.appendingPathComponent(fileName(forModelNamed: name))
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    } catch {
      throw ModelError(
        file: file.path,
        reason: "the file cannot be written: \(error.localizedDescription)"
      )
    }
    return ModelCheck.problems(of: draft).filter { $0.severity == .warning }
  }
}
