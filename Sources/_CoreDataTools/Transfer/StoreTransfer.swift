// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import _CoreDataModel
import _CoreDataStore

/// Copies a store to a store of any type, and compares the two.
package struct StoreTransfer {
  package let source: OpenedStore
  private let destination: StoreLocation
  private let content: ContentSource

  /// Opens the source for reading; its objects are read as they are now.
  ///
  /// - Throws: `ToolError` if the destination is the source, if it holds something and `replaces` is false, or
  ///   if the model was reconstructed from tables; `StoreError`, `ModelError`, errors of `NSCocoaErrorDomain`.
  package init(
    from url: URL,
    model: URL?,
    to destination: StoreLocation,
    replaces: Bool
  ) throws {
    let from = try StoreLocation(existing: url)
    if from.url.standardizedFileURL == destination.url.standardizedFileURL {
      throw ToolError("\(destination.text): a store cannot be copied to itself")
    }
    if !replaces, try destination.holdsSomething() {
      throw ToolError(
        "\(destination.text): there is a store with objects, or another file",
        hint: "Pass --replace to replace it, or name another place."
      )
    }
    source = try OpenedStore(from, model: model)
    if source.loaded.source.isReconstructed {
      throw ToolError(
        "\(from.text): the model was reconstructed from the store's tables, which is sufficient only for "
          + "reading",
        hint: "Pass the model with --model MODEL.xcdatamodeld (or .momd)."
      )
    }
    self.destination = destination
    content = try source.coordinator.content(of: source.store)
  }

  /// Returns the number of objects to copy.
  ///
  /// - Throws: `StoreError`.
  package func count() throws -> Int {
    try source.model.entities.filter { $0.root == $0.index }.reduce(0) { sum, root in
      var description = FetchDescription(entity: root.index)
      description.shape = .count
      guard case .count(let count) = try content.origin.fetch(description) else { return sum }
      return sum + count
    }
  }

  /// Copies all objects; the destination is unchanged after an error.
  ///
  /// - Returns: the objects that have other numbers in the destination; nil if there are no such objects.
  /// - Throws: errors of both stores.
  package func run(progress: @escaping (Int) -> Void) throws -> FileNumbers? {
    try source.coordinator.copy(
      content,
      of: source.store,
      to: destination.url,
      type: destination.type,
      progress: progress
    )
  }

  /// Opens the destination and compares it with the source, object by object.
  ///
  /// - Throws: errors of both stores.
  package func comparison(
    _ numbers: FileNumbers?,
    progress: @escaping (Int) -> Void
  ) throws -> ContentComparison {
    let copy = try OpenedStore(destination, loaded: source.loaded)
    defer { copy.rows.close() }
    var comparison = ContentComparison(
      content.origin,
      copy.rows,
      model: source.model,
      number: { numbers?.number($0, ofRoot: $1) ?? $0 },
      progress: progress
    )
    try comparison.run()
    return comparison
  }

  /// Closes the source.
  package func close() { source.rows.close() }
}
