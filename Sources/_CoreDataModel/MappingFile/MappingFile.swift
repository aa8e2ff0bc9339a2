// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads mapping models from compiled files (`.cdm`) and from Xcode's source form (`.xcmappingmodel`).
///
/// Source: observed, one compiled mapping model and 32 mapping models in source form.
package enum MappingFile {
  /// Returns the mapping model in a `.cdm` file or an `.xcmappingmodel` folder.
  ///
  /// - Throws: `ModelError` if the file cannot be read as a mapping model. The error contains the path of the
  ///   file.
  package static func draft(
    at url: URL,
    predicates: any ArchivedPredicates
  ) throws -> MappingDraft {
    var file = url
    if url.pathExtension == "xcmappingmodel" {
      file = url.appendingPathComponent("xcmapping.xml")
    }
    do {
      let data: Data
      do {
        data = try Data(contentsOf: file)
      } catch {
        if ModelFile.isFolder(file) {
          throw ModelError(
            reason:
              "this is a folder, but a mapping model is an .xcmappingmodel folder or a .cdm file"
          )
        }
        throw ModelError(reason: "the file cannot be read: \(error.localizedDescription)")
      }
      return try draft(data, predicates: predicates)
    } catch var error as ModelError {
      error.file = error.file ?? file.path
      throw error
    }
  }

  /// Returns the mapping model in `data`, the content of a compiled file or of an `xcmapping.xml` file.
  ///
  /// The data may be untrusted.
  /// - Throws: `ModelError` if `data` cannot be read as a mapping model.
  package static func draft(
    _ data: Data,
    predicates: any ArchivedPredicates
  ) throws -> MappingDraft {
    if data.first == UInt8(ascii: "<") {
      var reader = MappingSourceReader(predicates: predicates)
      return try reader.draft(MarkupParser.root(of: data, file: nil))
    }
    let reader = MappingUnarchiver(archive: try KeyedArchive(data), predicates: predicates)
    return try reader.draft()
  }
}

struct MappingUnarchiver {
  let archive: KeyedArchive
  let predicates: any ArchivedPredicates
  private static let limit = 100_000

  init(archive: KeyedArchive, predicates: any ArchivedPredicates) {
    self.archive = archive
    self.predicates = predicates
  }

  func draft() throws -> MappingDraft {
    let root = try archive.root(ofClass: "NSMappingModel", content: "a mapping model")
    let mappings = archive.members(root["NSEntityMappings"])
    let properties = mappings.reduce(0) { count, mapping in
      count + (archive[mapping["NSAttributeMappings"]]?["NS.objects"]?.array?.count ?? 0)
        + (archive[mapping["NSRelationshipMappings"]]?["NS.objects"]?.array?.count ?? 0)
    }
    guard properties < Self.limit else {
      throw ModelError(
        reason:
          "the mapping model has \(CellText.count(properties)) property mappings, but can have at most "
          + CellText.count(Self.limit - 1)
      )
    }
    var draft = MappingDraft()
    draft.entities = try mappings.enumerated().map { index, mapping in
      guard let name = archive.text(mapping["NSMappingName"]) else {
        throw ModelError(
          reason: "entity mapping \(index + 1) of \(mappings.count) has no name"
        )
      }
      return try entity(mapping, named: name)
    }
    return draft
  }

  private func entity(
    _ object: PropertyListNode,
    named name: String
  ) throws -> EntityMappingDraft {
    var draft = EntityMappingDraft(name: name)
    draft.type = UInt(clamping: archive.integer(object["NSMappingType"]) ?? 0)
    draft.source = archive.text(object["NSSourceEntityName"])
    draft.destination = archive.text(object["NSDestinationEntityName"])
    draft.sourceHash = data(object["NSSourceEntityVersionHash"])
    draft.destinationHash = data(object["NSDestinationEntityVersionHash"])
    draft.policyClassName = archive.text(object["NSEntityMigrationPolicyClassName"])
    draft.sourceExpression =
      try expression(object["NSSourceExpression"], "the source expression", of: name)
    for (key, value) in archive.entries(object["NSUserInfo"]) {
      draft.userInfo[key] = archive.text(value)
    }
    draft.attributes = try archive.members(object["NSAttributeMappings"]).map {
      try property($0, of: name)
    }
    draft.relationships = try archive.members(object["NSRelationshipMappings"]).map {
      try property($0, of: name)
    }
    return draft
  }

  private func property(
    _ object: PropertyListNode,
    of mapping: String
  ) throws -> PropertyMappingDraft {
    let name = archive.text(object["NSDestinationPropertyName"]) ?? ""
    return PropertyMappingDraft(
      name: name,
      expression: try expression(
        object["NSValueExpression"],
        "the value expression",
        of: mapping,
        property: name
      )
    )
  }

  private func data(_ field: PropertyListNode?) -> Data? {
    if case .data(let data)? = archive[field] { data } else { nil }
  }

  private func expression(
    _ field: PropertyListNode?,
    _ part: String,
    of mapping: String,
    property: String? = nil
  ) throws -> String? {
    if archive[field] == nil { return nil }
    do {
      return try predicates.expression(field, in: archive)
    } catch {
      throw ModelError(
        entity: mapping,
        property: property,
        reason: "\(part) cannot be read: \(error)"
      )
    }
  }
}
