// SPDX-License-Identifier: Apache-2.0

/// The settings of a fetch that are not part of its `FetchDescription`.
struct FetchOptions {
  var includesUnsaved = true
  /// Whether objects are returned realised instead of as faults.
  var realizes = false
  /// Whether realised objects are refreshed with newer rows.
  var refreshes = false
  /// The number of rows read at a time; 0 to read all at once.
  var batchSize = 0
  /// The program's fetch request, which custom stores receive; nil if the coordinator has no custom store, or
  /// if no request of the program caused the fetch.
  var request: NSFetchRequest<NSFetchRequestResult>?
  /// The relationship key paths to prefetch, each as a list of keys.
  var paths: Set<[String]> = []
}
