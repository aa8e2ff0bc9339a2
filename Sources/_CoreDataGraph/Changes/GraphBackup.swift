// SPDX-License-Identifier: Apache-2.0

/// The unsaved state of a graph before conflicts are resolved, which is restored if the save fails.
struct GraphBackup {
  let journal = ChangeJournal()
  let inserted: [GraphObject]
  let updated: [GraphObject]
  let deleted: [GraphObject]
  let unpropagated: [GraphObject]
  let event: ChangeEvent
  let watched: WatchedVersions
}
