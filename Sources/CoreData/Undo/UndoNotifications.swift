// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import Foundation

/// Notifications of undo managers; the object of each notification is the manager.
///
/// Source: documented, “UndoManager”.
extension NSNotification.Name {
  /// The notification that lets observers register pending changes.
  ///
  /// The manager posts it in `canRedo` and before a group is opened, closed, undone or redone. During an undo
  /// or a redo, opening and closing a group does not post it.
  public static let NSUndoManagerCheckpoint = NSNotification.Name(
    "NSUndoManagerCheckpointNotification"
  )
  /// The notification that is posted after a group was opened.
  public static let NSUndoManagerDidOpenUndoGroup = NSNotification.Name(
    "NSUndoManagerDidOpenUndoGroupNotification"
  )
  /// The notification that is posted before a group is closed.
  public static let NSUndoManagerWillCloseUndoGroup = NSNotification.Name(
    "NSUndoManagerWillCloseUndoGroupNotification"
  )
  /// The notification that is posted after a group was closed.
  public static let NSUndoManagerDidCloseUndoGroup = NSNotification.Name(
    "NSUndoManagerDidCloseUndoGroupNotification"
  )
  /// The notification that is posted before actions are undone.
  public static let NSUndoManagerWillUndoChange = NSNotification.Name(
    "NSUndoManagerWillUndoChangeNotification"
  )
  /// The notification that is posted after actions were undone.
  public static let NSUndoManagerDidUndoChange = NSNotification.Name(
    "NSUndoManagerDidUndoChangeNotification"
  )
  /// The notification that is posted before actions are redone.
  public static let NSUndoManagerWillRedoChange = NSNotification.Name(
    "NSUndoManagerWillRedoChangeNotification"
  )
  /// The notification that is posted after actions were redone.
  public static let NSUndoManagerDidRedoChange = NSNotification.Name(
    "NSUndoManagerDidRedoChangeNotification"
  )
}
#endif
