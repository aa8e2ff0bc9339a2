// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// The rows of a custom store for the calls of one context; everything that no context concerns is forwarded
/// to the rows.
protocol ContextView: RowStore {
  associatedtype Rows: CustomRows

  var all: Rows { get }
}

extension ContextView {
  var identifier: String { all.identifier }
  var type: String { all.type }
  var model: ModelDefinition { all.model }
  var index: Int { all.index }
  var isReadOnly: Bool { all.isReadOnly }

  func metadata() throws -> StoreMetadata { try all.metadata() }
  func setMetadata(_ metadata: StoreMetadata) throws { try all.setMetadata(metadata) }
  func reserveKeys(for entities: [Int]) throws -> [ObjectKey] {
    try all.reserveKeys(for: entities)
  }
  func close() { all.close() }
  func divided(_ description: FetchDescription) throws -> DividedFetch {
    try all.divided(description)
  }
}
