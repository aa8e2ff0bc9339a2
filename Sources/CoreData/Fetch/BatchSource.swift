// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel

/// The keys of a fetch by `fetchLazily(_:)` or `fetchStream(_:)`, and the most recently used batches of
/// objects.
final class BatchSource {
  let context: NSManagedObjectContext
  let keys: [ObjectKey]
  let size: Int
  private let options: FetchOptions
  private let givesIDs: Bool
  /// The batches, with the most recently used one last.
  private var batches: [(index: Int, objects: [NSManagedObject])] = []
  private let held: Int
  private static let usualSize = 100

  init(
    _ context: NSManagedObjectContext,
    _ keys: [ObjectKey],
    _ options: FetchOptions,
    givesIDs: Bool,
    held: Int
  ) {
    self.context = context
    self.keys = keys
    self.options = options
    self.givesIDs = givesIDs
    self.held = held
    size = options.batchSize > 0 ? options.batchSize : Self.usualSize
  }

  func release() { batches = [] }

  func result(at position: Int) -> NSObject {
    precondition(
      keys.indices.contains(position),
      "index \(position) is out of bounds: the endIndex of the collection is \(keys.count)"
    )
    if givesIDs { return context.id(for: keys[position]) }
    let index = position / size
    if let last = batches.last, last.index == index { return last.objects[position % size] }
    if let known = batches.firstIndex(where: { $0.index == index }) {
      batches.append(batches.remove(at: known))
    } else {
      // The batch that was used longest ago is released before the next batch is read, to limit the memory
      // used.
      if batches.count == held { batches.removeFirst() }
      batches.append((index, load(index)))
    }
    return batches[batches.count - 1].objects[position % size]
  }

  private func load(_ index: Int) -> [NSManagedObject] {
    context.checkQueue("fetchLazily(_:)")
    let range = index * size..<min((index + 1) * size, keys.count)
    do {
      return try context.objects(ofBatch: Array(keys[range]), options)
    } catch {
      Misuse.unreadableBatch(range, of: keys.count, cocoaError(error))
    }
  }
}

extension NSManagedObjectContext {
  /// Returns the objects of a batch, and reads the rows of those faults that do not have a row yet.
  ///
  /// `options` determines whether the objects are also refreshed, realised, and returned with prefetched
  /// destinations.
  ///
  /// - Complexity: usually one statement for each store and entity hierarchy, plus the statements of
  ///   prefetching.
  func objects(ofBatch keys: [ObjectKey], _ options: FetchOptions) throws -> [NSManagedObject] {
    let objects = faults(keys)
    let wanted = objects.filter {
      $0.isFault ? $0.chunk == nil : options.refreshes && !$0.key.isTemporary
    }
    for (_, group) in Dictionary(grouping: wanted, by: \.key.store) {
      _ = register(try loadRows(group.map(\.key)), refreshing: options.refreshes)
    }
    if !options.paths.isEmpty { try graph.prefetch(options.paths, of: objects) }
    if options.realizes { for object in objects { graph.realizeFromRow(object) } }
    return objects
  }
}
