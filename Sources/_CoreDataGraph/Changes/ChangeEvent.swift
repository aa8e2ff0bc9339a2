// SPDX-License-Identifier: Apache-2.0

/// The objects with pending changes, and the kinds of these changes.
package struct ChangeEvent {
  /// Objects in the order of their first change; their flags state what changed.
  private var touched: [GraphObject] = []

  package init() {}

  package var isEmpty: Bool { touched.isEmpty }
  package var objects: [GraphObject] { touched }

  /// Adds a flag to the object; adds the object to the event if this is the object's first change in the
  /// event.
  package mutating func note(_ object: GraphObject, _ flag: ObjectFlags) {
    if object.flags.isDisjoint(with: .inEvent) { touched.append(object) }
    object.flags.insert(flag)
  }

  /// Ends the event: clears the objects' flags for the event, and returns the changes to report.
  package mutating func finish() -> ChangeSummary {
    let objects = touched
    touched = []
    var summary = ChangeSummary()
    // Most events of programs that insert objects contain only new objects.
    if objects.allSatisfy({ $0.flags.isNewInEvent }) {
      for object in objects { object.flags.subtract(.inEvent) }
      summary.inserted = objects
      return summary
    }
    for object in objects {
      let flags = object.flags
      object.flags.subtract(.inEvent)
      if flags.contains(.deletedInEvent) {
        // An insertion in the same event was not reported, so the deletion is not reported either.
        if !flags.contains(.insertedInEvent) { summary.deleted.append(object) }
        if flags.contains(.discarded) { summary.discarded.append(object) }
      } else if flags.contains(.insertedInEvent) {
        summary.inserted.append(object)
      } else if flags.contains(.updatedInEvent) {
        // After a refresh, more slots than those recorded here may have changed, so the recorded slots are
        // discarded.
        if flags.contains(.refreshedInEvent) { object.detail?.changedInEvent = .init() }
        summary.updated.append(object)
      } else if flags.contains(.refreshedInEvent) {
        summary.refreshed.append(object)
      }
    }
    return summary
  }
}

extension ObjectFlags {
  /// Whether the object was inserted in the event and not deleted again.
  fileprivate var isNewInEvent: Bool { contains(.insertedInEvent) && !contains(.deletedInEvent) }
}

/// The objects whose changes are reported together, by the kind of change.
package struct ChangeSummary {
  package var inserted: [GraphObject] = []
  package var updated: [GraphObject] = []
  package var deleted: [GraphObject] = []
  package var refreshed: [GraphObject] = []
  /// Objects that were inserted and then deleted before a save; they leave the context after the report.
  package var discarded: [GraphObject] = []
  package var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
  }
}
