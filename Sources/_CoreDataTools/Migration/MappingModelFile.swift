// SPDX-License-Identifier: Apache-2.0

import CoreData
import _CoreDataModel
import _CoreDataPredicate

/// A mapping model that was read from a file.
package struct MappingModelFile {
  /// The name of the file, for output.
  package let name: String
  package let mapping: NSMappingModel
  private let draft: MappingDraft

  /// The names of the entity mappings that have a policy class, with the names of these classes.
  package var policies: [(mapping: String, policy: String)] {
    draft.entities.compactMap { entity in
      entity.policyClassName.flatMap { $0.isEmpty ? nil : (entity.name, $0) }
    }
  }

  /// Reads a mapping model.
  ///
  /// - Throws: `ModelError` if the file is not a mapping model.
  package init(_ file: URL) throws {
    name = file.lastPathComponent
    draft = try MappingFile.draft(at: file, predicates: PredicateTexts())
    guard let mapping = NSMappingModel(contentsOf: file) else {
      throw ModelError(file: file.path, reason: "the mapping model cannot be loaded")
    }
    self.mapping = mapping
  }

  /// Reads a mapping model, and checks that it maps the source of `models` to their destination.
  ///
  /// - Throws: `ModelError` if the file is not a mapping model; `ToolError` if the file does not exist, or if
  ///   the mapping model is for other models. In the latter case, the error lists the entities that differ.
  package init(_ file: URL, for models: MigrationModels) throws {
    guard FileManager.default.fileExists(atPath: file.path) else {
      throw ToolError("\(file.path): there is no file or folder at this path")
    }
    try self.init(file)
    let differences = differences(from: models)
    if draft.entities.isEmpty || !differences.isEmpty {
      let list =
        draft.entities.isEmpty ? "it has no entity mappings" : differences.joined(separator: "; ")
      throw ToolError(
        "\(file.path): the mapping model does not map the model of the store to "
          + "“\(models.destination.name)”: \(list)",
        hint:
          "Pass a mapping model for these two versions, or pass --to with the version to which this "
          + "mapping model migrates."
      )
    }
  }

  /// Returns the first mapping model beside `model` that maps the source of `models` to their destination.
  ///
  /// Searches the files in the folder of `model` in the order of their names. Returns nil if no file matches.
  /// - Throws: `ModelError` if no file matches and a file cannot be read, because the unreadable file might
  ///   match.
  package static func find(beside model: URL, for models: MigrationModels) throws -> Self? {
    var folder = model.standardizedFileURL.deletingLastPathComponent()
    while ["xcdatamodel", "xcdatamodeld", "momd"].contains(folder.pathExtension) {
      folder.deleteLastPathComponent()
    }
    // The error is dropped: a folder that cannot be listed is treated as a folder without mapping models.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    var failure: (any Error)?
    for name in names.sorted(by: utf8Less)
    where name.hasSuffix(".xcmappingmodel") || name.hasSuffix(".cdm") {
      do {
        let file = try MappingModelFile(folder.appendingPathComponent(name))
        if !file.draft.entities.isEmpty, file.differences(from: models).isEmpty { return file }
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    return nil
  }

  private func differences(from models: MigrationModels) -> [String] {
    let before = ModelHashes(model: models.source).byEntity
    let after = ModelHashes(model: models.destination.definition).byEntity
    var found: [String] = []
    for entity in draft.entities {
      if let name = entity.source, entity.sourceHash == nil || before[name] != entity.sourceHash {
        found.append("\(entity.name): the source entity \(name) differs from the store's model")
      }
      if let name = entity.destination,
        entity.destinationHash == nil || after[name] != entity.destinationHash
      {
        found.append("\(entity.name): the destination entity \(name) differs from that version")
      }
    }
    return found
  }
}
