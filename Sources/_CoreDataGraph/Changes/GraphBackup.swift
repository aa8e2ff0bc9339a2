// SPDX-License-Identifier: Apache-2.0

/// The unsaved state of a graph before a save resolves conflicts, so that a save that fails after all
/// leaves everything as it was.
struct GraphBackup {
  let journal = ChangeJournal()
  let inserted: [GraphObject]
  let updated: [GraphObject]
  let deleted: [GraphObject]
  let unpropagated: [GraphObject]
  let event: ChangeEvent
  let watched: WatchedVersions
}
