// SPDX-License-Identifier: Apache-2.0

/// What a fetch does with the context's objects; the store is not told of it.
struct FetchOptions {
  /// Whether unsaved changes are laid over what the store returns.
  var includesUnsaved = true
  /// Whether objects are realised at once.
  var realizes = false
  /// Whether realised objects get newer rows.
  var refreshes = false
  /// How many rows are read at a time; 0 for all at once.
  var batchSize = 0
  /// Relationships to prefetch, key by key.
  var paths: Set<[String]> = []
}
