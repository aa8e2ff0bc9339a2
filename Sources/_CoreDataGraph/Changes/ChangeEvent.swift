// SPDX-License-Identifier: Apache-2.0

/// What happened between two processings of pending changes: each object once.
package struct ChangeEvent {
  /// Objects in the order of their first change; their flags say what happened.
  private var touched: [GraphObject] = []

  package init() {}

  package var isEmpty: Bool { touched.isEmpty }
  package var objects: [GraphObject] { touched }

  /// Records what happened to the object; its flags say all that happened in the event.
  package mutating func note(_ object: GraphObject, _ flag: ObjectFlags) {
    if object.flags.isDisjoint(with: .inEvent) { touched.append(object) }
    object.flags.insert(flag)
  }

  /// Ends the event: clears the flags and returns what to report.
  package mutating func finish() -> ChangeSummary {
    let objects = touched
    touched = []
    var summary = ChangeSummary()
    for object in objects {
      let flags = object.flags
      object.flags.subtract(.inEvent)
      if flags.contains(.deletedInEvent) {
        // Inserted and deleted in one event: no report has named it.
        if !flags.contains(.insertedInEvent) { summary.deleted.append(object) }
        if flags.contains(.discarded) { summary.discarded.append(object) }
      } else if flags.contains(.insertedInEvent) {
        summary.inserted.append(object)
      } else if flags.contains(.updatedInEvent) {
        // A newer row may differ in more than what was set here.
        if flags.contains(.refreshedInEvent) { object.detail?.changedInEvent = .init() }
        summary.updated.append(object)
      } else if flags.contains(.refreshedInEvent) {
        summary.refreshed.append(object)
      }
    }
    return summary
  }
}

/// What one processing of pending changes reports.
package struct ChangeSummary {
  package var inserted: [GraphObject] = []
  package var updated: [GraphObject] = []
  package var deleted: [GraphObject] = []
  package var refreshed: [GraphObject] = []
  /// New objects that were deleted before a save: to be forgotten after the report.
  package var discarded: [GraphObject] = []
  package var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
  }
}
