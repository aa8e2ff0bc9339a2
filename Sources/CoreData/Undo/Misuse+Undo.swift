// SPDX-License-Identifier: Apache-2.0

/// Programmer errors that concern undo managers.
extension Misuse {
  static func noOpenUndoGroup(_ call: String) -> Never {
    fatalError(
      call == "endUndoGrouping"
        ? "endUndoGrouping called with no matching begin"
        : "must begin a group before registering undo"
    )
  }

  static func undoInsideGroup() -> Never {
    fatalError("undo was called with too many nested undo groups; end them first")
  }

  static func undoWhileUndoing(_ call: String) -> Never {
    fatalError("\(call) was called while undoing or redoing")
  }

  static func undoRegistrationIsEnabled() -> Never {
    fatalError("enableUndoRegistration called with no matching disable")
  }
}
