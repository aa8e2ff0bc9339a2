// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder with a JSON file for each object, in a folder for each entity.
///
/// ```
/// Metadata.json
/// Note/1F0C….json
/// Tag/77A2….json
/// ```
///
/// A save changes several files. It first writes all changes to `Changes.json`, which is the moment at which the
/// save has happened, then carries them out, and removes the file. If the process ends in between, the next one
/// that opens the folder carries them out.
final class RecordFolder {
  /// The change of one file.
  private struct Change: Codable {
    /// The path of the file in the folder.
    let path: String
    /// The new content; nil if the file is to be removed.
    let content: Data?
  }

  let url: URL
  /// Reference → the entity whose folder has the file.
  private(set) var entities: [String: String] = [:]
  /// The records that were read or written.
  private var records: [String: JSONRecord] = [:]
  /// The changes that are in `Changes.json` and not carried out yet.
  private var pending: [Change] = []

  private var changesFile: URL { url.appendingPathComponent("Changes.json") }

  /// Opens a folder, which is created if it is missing, and lists the files of the entities in it.
  ///
  /// - Throws: `CocoaError.fileReadCorruptFile` for changes of an earlier save that cannot be read; the errors
  ///   of reading and writing files.
  init(_ url: URL, entities names: [String]) throws {
    self.url = url
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    if FileManager.default.fileExists(atPath: changesFile.path) {
      pending = try JSONFile.read([Change].self, at: changesFile)
      try carryOut()
    }
    for name in names {
      let folder = url.appendingPathComponent(name).path
      if !FileManager.default.fileExists(atPath: folder) { continue }
      for file in try FileManager.default.contentsOfDirectory(atPath: folder)
      where file.hasSuffix(".json") {
        entities[String(file.dropLast(5))] = name
      }
    }
  }

  // MARK: Metadata

  static func metadata(at url: URL) throws -> [String: Any] {
    let file = url.appendingPathComponent("Metadata.json")
    return JSONMetadata.decoded(try JSONFile.read([String: JSONMetadata].self, at: file))
  }

  static func hasMetadata(at url: URL) -> Bool {
    FileManager.default.fileExists(atPath: url.appendingPathComponent("Metadata.json").path)
  }

  static func write(_ metadata: [String: Any], at url: URL) throws {
    let data = try JSONFile.data(JSONMetadata.encoded(metadata))
    try JSONFile.write(data, to: url.appendingPathComponent("Metadata.json"))
  }

  // MARK: Records

  func file(_ reference: String, of entity: String) -> URL {
    url.appendingPathComponent(entity).appendingPathComponent(reference + ".json")
  }

  /// Returns the record of an object; nil if there is none.
  ///
  /// - Throws: the errors of reading its file.
  func record(_ reference: String) throws -> JSONRecord? {
    if let record = records[reference] { return record }
    guard let entity = entities[reference] else { return nil }
    let file = file(reference, of: entity)
    let record = try JSONFile.read(JSONRecord.self, at: file)
    if record.entity != entity {
      throw JSONStoreError.damaged(file, "a \(record.entity) in the folder of \(entity)")
    }
    records[reference] = record
    return record
  }

  /// Writes the changed records, removes those that are nil, and writes the metadata.
  ///
  /// - Throws: the errors of writing `Changes.json`; the folder is then unchanged.
  func save(_ changes: [String: JSONRecord?], metadata: [String: Any]) throws {
    // The files of an earlier save come first.
    try carryOut()
    var all = [
      Change(
        path: "Metadata.json",
        content: try JSONFile.data(JSONMetadata.encoded(metadata))
      )
    ]
    for (reference, record) in changes.sorted(by: { $0.key < $1.key }) {
      guard let entity = record?.entity ?? entities[reference] else { continue }
      all.append(
        Change(
          path: "\(entity)/\(reference).json",
          content: try record.map { try JSONFile.data($0) }
        )
      )
    }
    try JSONFile.write(JSONFile.data(all), to: changesFile)
    for (reference, record) in changes {
      records[reference] = record
      entities[reference] = record?.entity
    }
    pending = all
    // The error is dropped: the save has happened, and the changes are carried out before the next save, or
    // when the folder is opened again.
    try? carryOut()
  }

  private func carryOut() throws {
    if pending.isEmpty { return }
    for change in pending {
      let file = url.appendingPathComponent(change.path)
      guard let content = change.content else {
        try JSONFile.remove(file)
        continue
      }
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try JSONFile.write(content, to: file)
    }
    try JSONFile.remove(changesFile)
    pending = []
  }
}
