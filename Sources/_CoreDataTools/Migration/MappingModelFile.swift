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
    let fit = fit(models)
    if !fit.isWhole {
      let list =
        fit.differences.isEmpty
        ? "the mapping model has no entity mappings" : fit.differences.joined(separator: "; ")
      throw ToolError(
        "\(file.path): the mapping model does not map the model of the store to "
          + "“\(models.destination.name)”: \(list)",
        hint:
          "Pass a mapping model for these two versions, or pass --to with the version to which this "
          + "mapping model migrates."
      )
    }
  }

  /// The result of a search for mapping models beside a model.
  package struct Search {
    /// The first file that maps the source to the destination; nil if there is no such file.
    package let found: MappingModelFile?
    /// The files that almost fit: the name of each file, and the entities that differ.
    package let misses: [(name: String, differences: String)]

    package init(found: MappingModelFile?, misses: [(name: String, differences: String)]) {
      self.found = found
      self.misses = misses
    }
  }

  /// Searches for the mapping model beside `model` that maps the source of `models` to their destination.
  ///
  /// Searches the files in the folder of `model` in the order of their names. A file that maps two other
  /// versions of the model does not count as a file that almost fits.
  /// - Throws: `ModelError` if no file matches and a file cannot be read, because the unreadable file might
  ///   match.
  package static func search(beside model: URL, for models: MigrationModels) throws -> Search {
    var folder = model.standardizedFileURL.deletingLastPathComponent()
    while ["xcdatamodel", "xcdatamodeld", "momd"].contains(folder.pathExtension) {
      folder.deleteLastPathComponent()
    }
    // The error is dropped: a folder that cannot be listed is treated as a folder without mapping models.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    var failure: (any Error)?
    var misses: [(name: String, differences: String)] = []
    let (before, after) = models.hashes
    for name in names.sorted(by: utf8Less)
    where name.hasSuffix(".xcmappingmodel") || name.hasSuffix(".cdm") {
      do {
        let file = try MappingModelFile(folder.appendingPathComponent(name))
        if file.fit(models).isWhole { return Search(found: file, misses: []) }
        let miss = MappingFit.nearMiss(file.claims, from: before, to: after) {
          models.versionHashes
        }
        if let miss { misses.append((name, miss)) }
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    return Search(found: nil, misses: misses)
  }

  private var claims: [MappingFit.Claim] { draft.entities.map(\.claim) }

  private func fit(_ models: MigrationModels) -> MappingFit {
    let (before, after) = models.hashes
    return MappingFit(claims, from: before, to: after)
  }
}
