// SPDX-License-Identifier: Apache-2.0

/// Prefetched objects, kept alive by the chunks of the objects for which they were fetched.
final class PrefetchedObjects {
  fileprivate(set) var objects: [GraphObject]
  init(_ objects: [GraphObject]) { self.objects = objects }
}

/// The prefetched objects of a context.
///
/// The objects may retain each other through their chunks. `release()` breaks these cycles; it must be called
/// at the latest when the context is deallocated.
struct PrefetchLedger {
  private struct Entry { weak var prefetched: PrefetchedObjects? }
  private var entries: [Entry] = []

  mutating func add(_ prefetched: PrefetchedObjects) {
    entries.removeAll { $0.prefetched == nil }
    entries.append(Entry(prefetched: prefetched))
  }

  mutating func release() {
    for entry in entries { entry.prefetched?.objects = [] }
    entries = []
  }
}
