// SPDX-License-Identifier: Apache-2.0

/// The content of a file that contains a whole store.
package struct StoredContent {
  package var metadata: StoreMetadata
  /// The store's UUID.
  package var identifier: String
  /// The byte range of the `<metadata>` element in the UTF-8 form of an XML store; nil for other formats.
  var metadataPlace: Range<Int>?
  /// The objects as inserts with permanent keys; empty if only the metadata were read.
  package var objects = SaveBatch()
  /// The greatest number that was ever assigned to an object.
  package var lastNumber: Int64 = 0
}
