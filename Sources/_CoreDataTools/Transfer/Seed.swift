// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataSQLite
import _CoreDataStore

/// Creates a store from records; equal models and files produce identical stores, byte for byte.
///
/// The store's UUID is derived from the model and the files. Large values are stored in rows, so that the
/// store is a single file.
package struct Seed {
  private let loaded: LoadedModel
  private let files: [RecordFile]
  private let keys: NaturalKeys
  private let options: Importer.Options

  package init(
    _ loaded: LoadedModel,
    files: [RecordFile],
    keys: NaturalKeys,
    options: Importer.Options = Importer.Options()
  ) {
    self.loaded = loaded
    self.files = files
    self.keys = keys
    self.options = options
  }

  /// Writes the store to `path`.
  ///
  /// A file at this path is an error, unless `replacing` is true and the file is a store. An existing store
  /// is replaced together with its log and external storage.
  /// - Throws: `ToolError`, `StoreError` or a Foundation error, for example if the path is a folder, or the
  ///   store is open elsewhere. If an error is thrown, an existing file is unchanged, unless the file was
  ///   replaced but its folder could not be synchronized to disk. In that case, the error text states that
  ///   the new file is in place.
  package func write(
    to path: String,
    replacing: Bool = false,
    progress: @escaping (ImportProgress) -> Void = { _ in }
  ) throws -> ImportReport {
    let place = StoreFiles(path: path, timeout: 5)
    try Self.check(path, place, replacing)
    let folder = try TemporaryFolder("coredata-seed", for: "the unfinished store")
    defer { folder.remove() }
    let draft = folder.url.appendingPathComponent("seed.sqlite")
    let report = try fill(draft, progress)
    let file = try StoreFile(path: draft.path, access: .readWrite)
    try identify(file)
    // The copy has no free pages and no log, and its pages are in a fixed order, so that equal input
    // produces identical files.
    let finished = place.unfinishedPath
    defer { unlink(finished) }
    try file.copy(to: finished)
    try Self.check(path, place, replacing)
    try place.replace(byRenaming: finished)
    return report
  }

  private static func check(_ path: String, _ place: StoreFiles, _ replacing: Bool) throws {
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    if path.hasSuffix("/"), !isFolder.boolValue {
      throw ToolError("\(path): the path of a store cannot end with /", hint: "Remove the /.")
    }
    if isFolder.boolValue {
      throw ToolError(
        "\(path): the path is a folder",
        hint: "Pass the path of a file in that folder."
      )
    }
    if !exists { return }
    if !replacing {
      throw ToolError(
        "\(path): the file already exists",
        hint: "Remove the file, choose another path, or pass --force to replace a store."
      )
    }
    do {
      try place.requireStoreOrNothing()
    } catch let error as StoreError {
      throw ToolError(
        "the file is not replaced: \(error)",
        hint: error.code == .corrupt
          ? "Only stores are replaced. Remove the file, or choose another path."
          : ToolError(error).hint ?? "Choose another path."
      )
    }
  }

  private func fill(
    _ url: URL,
    _ progress: @escaping (ImportProgress) -> Void
  ) throws -> ImportReport {
    let opened = try OpenedStore(url, loaded: loaded, isWritable: true, keepsValuesInRows: true)
    defer { opened.rows.close() }
    var options = options
    options.discardsChanges = true
    var report = ImportReport()
    for file in files {
      let part = try Importer(opened, file: file, keys: keys, options: options)
        .run(progress: progress)
      report.records += part.records
      report.inserted += part.inserted
      report.updated += part.updated
      report.unchanged += part.unchanged
    }
    return report
  }

  private func identify(_ file: StoreFile) throws {
    var hasher = SHA256()
    hasher.update(ModelHashes(model: loaded.definition).digest)
    for records in files {
      let handle = try records.opened()
      // The error is dropped, because the file was only read.
      defer { try? handle.close() }
      while let part = try handle.read(upToCount: 1 << 20), !part.isEmpty { hasher.update(part) }
    }
    var bytes = Array(hasher.hash().prefix(16))
    // UUID version 8: a custom format (RFC 9562).
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = bytes.map { String(Int($0) + 256, radix: 16).suffix(2) }.joined().uppercased()
    let uuid = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { range in
      String(Array(digits)[range])
    }.joined(separator: "-")
    var values = try file.metadata().values
    values[StoreMetadata.uuidKey] = nil
    let list = try StoreMetadata(values).propertyList()
    _ = try file.execute(
      "UPDATE Z_METADATA SET Z_UUID = ?, Z_PLIST = ?",
      [.text(uuid), .blob(list)]
    )
  }
}
