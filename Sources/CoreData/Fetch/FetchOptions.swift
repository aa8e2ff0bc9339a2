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
  /// The program's request, for stores of classes of the program; nil if the coordinator has no such store,
  /// and for a fetch that no request has caused.
  var request: NSFetchRequest<NSFetchRequestResult>?
  /// The relationship key paths to prefetch, each as a list of keys.
  var paths: Set<[String]> = []
}
