// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import Foundation

/// Notifications of undo managers; their object is the manager.
///
/// Source: documented, “UndoManager”.
extension NSNotification.Name {
  /// Observers should register their pending changes now.
  public static let NSUndoManagerCheckpoint = NSNotification.Name(
    "NSUndoManagerCheckpointNotification"
  )
  /// A group was opened.
  public static let NSUndoManagerDidOpenUndoGroup = NSNotification.Name(
    "NSUndoManagerDidOpenUndoGroupNotification"
  )
  /// A group is about to be closed.
  public static let NSUndoManagerWillCloseUndoGroup = NSNotification.Name(
    "NSUndoManagerWillCloseUndoGroupNotification"
  )
  /// A group was closed.
  public static let NSUndoManagerDidCloseUndoGroup = NSNotification.Name(
    "NSUndoManagerDidCloseUndoGroupNotification"
  )
  /// Actions are about to be undone.
  public static let NSUndoManagerWillUndoChange = NSNotification.Name(
    "NSUndoManagerWillUndoChangeNotification"
  )
  /// Actions were undone.
  public static let NSUndoManagerDidUndoChange = NSNotification.Name(
    "NSUndoManagerDidUndoChangeNotification"
  )
  /// Actions are about to be redone.
  public static let NSUndoManagerWillRedoChange = NSNotification.Name(
    "NSUndoManagerWillRedoChangeNotification"
  )
  /// Actions were redone.
  public static let NSUndoManagerDidRedoChange = NSNotification.Name(
    "NSUndoManagerDidRedoChangeNotification"
  )
}
#endif
