// SPDX-License-Identifier: Apache-2.0

/// The unsaved state that a graph had before its conflicts were resolved; a failed save restores this state.
struct GraphBackup {
  let journal = ChangeJournal()
  let inserted: [GraphObject]
  let updated: [GraphObject]
  let deleted: [GraphObject]
  let unpropagated: [GraphObject]
  let event: ChangeEvent
  let watched: WatchedVersions
}
