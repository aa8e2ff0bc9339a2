// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// A format of files that contain a whole store.
package protocol StoreFileFormat: Sendable {
  /// Apple's name for the store type, such as `XML`.
  var type: String { get }

  /// Reads the metadata of a file, but not its objects.
  ///
  /// - Throws: `StoreError.corrupt` with the place if the file is damaged or of another format.
  func metadata(of data: Data) throws -> StoredContent

  /// Reads a whole file; `store` is the index of the store in the keys of the objects.
  ///
  /// If `isLenient` is true, entities and properties that the model does not have are left out.
  ///
  /// - Throws: `StoreError.corrupt` with the place if the file is damaged, of another format or of another
  ///   model.
  func content(
    of data: Data,
    model: ModelDefinition,
    store: Int,
    isLenient: Bool
  ) throws -> StoredContent

  /// Returns the bytes of the file with `metadata` in place of the file's own; the objects do not change.
  ///
  /// - Throws: as `metadata(of:)`; `CocoaError.propertyListWriteInvalid` for metadata that a property list
  ///   cannot hold.
  func replacingMetadata(in data: Data, by metadata: StoreMetadata) throws -> Data

  /// Returns the bytes of a file with this content.
  ///
  /// - Throws: `CocoaError.propertyListWriteInvalid` for metadata that a property list cannot hold;
  ///   `StoreError.cannotWrite` for content that the format cannot hold.
  func data(
    of content: StoreContent,
    metadata: StoreMetadata,
    identifier: String
  ) throws -> Data
}
