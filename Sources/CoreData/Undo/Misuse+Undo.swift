// SPDX-License-Identifier: Apache-2.0

extension Misuse {
  static func unmatchedEndOfUndoGroup() -> Never {
    fatalError("endUndoGrouping called with no matching begin")
  }

  static func undoRegisteredOutsideGroup() -> Never {
    fatalError("must begin a group before registering undo")
  }

  static func undoInsideGroup() -> Never {
    fatalError(
      "undo was called with too many nested undo groups; first end each group that was opened with "
        + "beginUndoGrouping, or call undoNestedGroup"
    )
  }

  static func undoWhileUndoing(_ call: String) -> Never {
    fatalError(
      "\(call) was called while undoing or redoing; call it after the undo or redo has ended"
    )
  }

  static func undoRegistrationIsEnabled() -> Never {
    fatalError("enableUndoRegistration called with no matching disable")
  }
}
