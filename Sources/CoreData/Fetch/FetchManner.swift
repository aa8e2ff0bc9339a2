// SPDX-License-Identifier: Apache-2.0

/// How the objects of a fetch come into a context; what the store need not know.
struct FetchManner {
  /// Whether unsaved changes lie on top of what the store gives.
  var includesUnsaved = true
  /// Whether objects are realised at once.
  var realizes = false
  /// Whether realised objects get newer rows.
  var refreshes = false
  /// How many rows are read at a time; 0 for all at once.
  var batchSize = 0
  /// Relationships to read ahead, key by key.
  var paths: Set<[String]> = []
}
