// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

/// Metadata of stores, and deflated model caches.
struct MetadataTarget: FuzzTarget {
  func run(_ bytes: UnsafeBufferPointer<UInt8>) {
    let data = Data(bytes)
    if let metadata = try? StoreMetadata(propertyList: data) {
      _ = (metadata.versionHashes, metadata.type, metadata.uuid)
      let list = try? PropertyListSerialization.data(
        fromPropertyList: metadata.values,
        format: .binary,
        options: 0
      )
      if let list, (try? StoreMetadata(propertyList: list)) == nil {
        broken("What is written cannot be read", "\(metadata.values.keys.sorted())")
      }
    }
    if let content = try? RawDeflate.inflated(data, limit: 1 << 20),
      let again = try? RawDeflate.inflated(RawDeflate.deflated(content)), again != content
    {
      broken("Deflated content inflates to another", "\(content.count) bytes")
    }
  }
}
