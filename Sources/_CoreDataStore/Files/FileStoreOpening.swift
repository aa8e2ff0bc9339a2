// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Reads the file of a store into memory.
final class FileStoreOpening {
  private let model: ModelDefinition
  private let index: Int
  private let format: any StoreFileFormat
  private let options: FileStoreOptions
  /// Whether the file exists and is not empty.
  private(set) var hasContent = false

  init(
    model: ModelDefinition,
    index: Int,
    format: any StoreFileFormat,
    options: FileStoreOptions
  ) {
    self.model = model
    self.index = index
    self.format = format
    self.options = options
  }

  /// Returns the content of the file, or an empty store for a file that is missing or empty.
  func open(_ file: AtomicFile, limit: Int) throws -> MemoryStore {
    let data = try StoreFileData.read(file.path, limit: limit)
    guard let data, !data.isEmpty else {
      if options.isReadOnly {
        throw StoreError(
          .cannotOpen,
          "the file does not exist or is empty, and the store is opened read-only; open the store once "
            + "without NSReadOnlyPersistentStoreOption to create the file",
          path: options.path
        )
      }
      return try store(empty())
    }
    hasContent = true
    return try located { try store(content(of: data)) }
  }

  private func store(_ content: StoredContent) throws -> MemoryStore {
    do {
      return try MemoryStore(model: model, index: index, type: format.type, content: content)
    } catch let error as StoreError where error.code == .constraint {
      throw StoreError(.corrupt, "objects in the file are not unique: \(error.message)")
    }
  }

  private func empty() -> StoredContent {
    let identifier = UUID().uuidString
    var metadata = StoreMetadata.initial(model, type: format.type, entities: options.entities)
    metadata.values[StoreMetadata.uuidKey] = identifier
    return StoredContent(metadata: metadata, identifier: identifier)
  }

  private func content(of data: Data) throws -> StoredContent {
    // The metadata are compared first, so that a file of another model is not reported as damaged.
    try checkVersion(format.metadata(of: data).metadata)
    return try format.content(
      of: data,
      model: model,
      store: index,
      isLenient: options.ignoresModelVersions
    )
  }

  private func checkVersion(_ metadata: StoreMetadata) throws {
    if options.ignoresModelVersions || metadata.versionHashes.isEmpty { return }
    let obstacles = ModelDifference.obstacles(
      toOpening: metadata.versionHashes,
      of: nil,
      with: model,
      entities: options.entities
    )
    if obstacles.isEmpty { return }
    throw StoreError(
      .incompatibleModel,
      "the model used to open the store is incompatible with the one used to create it: "
        + obstacles.prefix(20).joined(separator: "; ")
    )
  }

  private func located<T>(_ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch var error as StoreError {
      error.path = options.path
      throw error
    }
  }
}

/// Reads files that contain a whole store.
package enum StoreFileData {
  /// Returns the content of a file; nil if there is no file.
  ///
  /// - Throws: `StoreError.cannotOpen` if the file cannot be read, or is larger than `limit` bytes.
  package static func read(_ path: String, limit: Int = 2 << 30) throws -> Data? {
    let manager = FileManager.default
    var isFolder: ObjCBool = false
    guard manager.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
    if isFolder.boolValue {
      throw StoreError(.cannotOpen, "the path leads to a folder, not to a file", path: path)
    }
    do {
      let size = try manager.attributesOfItem(atPath: path)[.size] as? NSNumber
      if let size, size.intValue > limit {
        throw StoreError(
          .cannotOpen,
          "the file has \(size) bytes, but an XML or binary store can have at most \(limit); use an SQLite "
            + "store",
          path: path
        )
      }
      return try Data(contentsOf: URL(fileURLWithPath: path))
    } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError(
        .cannotOpen,
        "the file could not be read: \((error as NSError).localizedDescription)",
        path: path
      )
    }
  }
}
