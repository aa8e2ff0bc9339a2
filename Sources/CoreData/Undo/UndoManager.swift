// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import Foundation

/// Registers undo actions in groups, and performs the actions to undo or redo changes.
///
/// ```swift
/// undoManager.registerUndo(withTarget: list) { $0.remove(item) }
/// undoManager.setActionName("Add Item")
/// undoManager.undo()
/// ```
/// Actions registered during an undo become redo actions, and actions registered during a redo become undo
/// actions. The manager is confined to one thread at a time and does not retain targets.
///
/// Source: documented, “UndoManager” of Foundation, which Foundation on Linux does not have.
open class UndoManager: NSObject {
  private var undoGroups: [UndoGroup] = []
  private var redoGroups: [UndoGroup] = []
  /// The open groups, with the outermost one first.
  private var openGroups: [UndoGroup] = []
  private var isEventGroupOpen = false
  private var disabled = 0

  /// Creates an empty manager that groups actions by event, with unlimited levels.
  public override init() { super.init() }

  // MARK: Groups

  /// Begins a group; if another group is open, the new group is nested in the open group.
  ///
  /// Posts `NSUndoManagerCheckpoint`, except during an undo or a redo, and `NSUndoManagerDidOpenUndoGroup`.
  open func beginUndoGrouping() {
    if !isUndoing && !isRedoing { post(.NSUndoManagerCheckpoint) }
    openGroups.append(UndoGroup())
    post(.NSUndoManagerDidOpenUndoGroup)
  }

  /// Ends the innermost open group; an empty group is discarded.
  ///
  /// Stops the program if no group is open. Posts `NSUndoManagerCheckpoint`, except during an undo or a redo,
  /// and `NSUndoManagerWillCloseUndoGroup` and `NSUndoManagerDidCloseUndoGroup`.
  open func endUndoGrouping() {
    if !isUndoing && !isRedoing { post(.NSUndoManagerCheckpoint) }
    post(.NSUndoManagerWillCloseUndoGroup)
    guard let group = openGroups.popLast() else { Misuse.unmatchedEndOfUndoGroup() }
    if openGroups.isEmpty { isEventGroupOpen = false }
    if !group.isEmpty { keep(group) }
    post(.NSUndoManagerDidCloseUndoGroup)
  }

  private func keep(_ group: UndoGroup) {
    if let outer = openGroups.last {
      outer.actions.append(.group(group))
      outer.name = outer.name ?? group.name
    } else if isUndoing {
      redoGroups.append(group)
      trim(&redoGroups)
    } else {
      undoGroups.append(group)
      trim(&undoGroups)
    }
  }

  private func trim(_ groups: inout [UndoGroup]) {
    if levelsOfUndo > 0, groups.count > levelsOfUndo {
      groups.removeFirst(groups.count - levelsOfUndo)
    }
  }

  /// The number of open groups.
  open var groupingLevel: Int { openGroups.count }

  /// Whether registering an action while no group is open opens a group, the event's group; true by default.
  ///
  /// If the action is registered on the main thread, the event's group ends when the main queue runs its next
  /// block, unless a nested group is open then. On any thread, `undo()` also ends the event's group.
  open var groupsByEvent = true

  /// The maximum number of groups to undo and of groups to redo; 0, the default, means no limit.
  open var levelsOfUndo = 0 {
    didSet {
      trim(&undoGroups)
      trim(&redoGroups)
    }
  }

  // MARK: Registering actions

  /// Disables the registration of actions; calls can be nested.
  open func disableUndoRegistration() { disabled += 1 }

  /// Reverses one call of `disableUndoRegistration()`; stops the program if registration is enabled.
  open func enableUndoRegistration() {
    if disabled == 0 { Misuse.undoRegistrationIsEnabled() }
    disabled -= 1
  }

  /// Whether undo registration is enabled.
  ///
  /// False while calls of `disableUndoRegistration()` outnumber calls of `enableUndoRegistration()`.
  open var isUndoRegistrationEnabled: Bool { disabled == 0 }

  /// Registers an action that calls `handler` with the target, unless the target has been deallocated by
  /// then.
  ///
  /// Does nothing while registration is disabled. Clears the redo actions, except during an undo or a redo.
  /// Stops the program if no group is open and `groupsByEvent` is false.
  public func registerUndo<TargetType: AnyObject>(
    withTarget target: TargetType,
    handler: @escaping (TargetType) -> Void
  ) {
    register(ObjectIdentifier(target)) { [weak target] in
      if let target { handler(target) }
    }
  }

  /// Registers an action for a target that is identified but not retained.
  func register(_ target: ObjectIdentifier, _ body: @escaping () -> Void) {
    if !isUndoRegistrationEnabled { return }
    if openGroups.isEmpty {
      if !groupsByEvent { Misuse.undoRegisteredOutsideGroup() }
      openEventGroup()
    }
    if !isUndoing && !isRedoing { redoGroups = [] }
    openGroups.last?.actions.append(.call(target: target, body))
  }

  private func openEventGroup() {
    beginUndoGrouping()
    isEventGroupOpen = true
    guard CurrentThread.isMain else { return }
    // The block runs only on the main thread, which is the thread that uses the manager.
    let later = Transfer { [weak self] in self?.closeEventGroup() }
    DispatchQueue.main.async { later.value() }
  }

  private func closeEventGroup() {
    if isEventGroupOpen && openGroups.count == 1 { endUndoGrouping() }
  }

  // MARK: Undoing

  /// Whether there is an action to undo.
  ///
  /// An open group may have to be ended before `undo()`.
  open var canUndo: Bool {
    !undoGroups.isEmpty || openGroups.contains { !$0.isEmpty }
  }

  /// Whether there is an action to redo.
  ///
  /// Posts `NSUndoManagerCheckpoint`, so that observers can register pending changes first.
  open var canRedo: Bool {
    post(.NSUndoManagerCheckpoint)
    return !redoGroups.isEmpty
  }

  /// Whether an undo is running.
  open private(set) var isUndoing = false
  /// Whether a redo is running.
  open private(set) var isRedoing = false

  /// Ends the current event's group, and then undoes the last group; does nothing if there is no group.
  ///
  /// Stops the program if a group opened with `beginUndoGrouping()` is still open, or if an undo or a redo is
  /// running.
  open func undo() {
    post(.NSUndoManagerCheckpoint)
    if isUndoing || isRedoing { Misuse.undoWhileUndoing("undo") }
    closeEventGroup()
    if !openGroups.isEmpty { Misuse.undoInsideGroup() }
    undoNestedGroup()
  }

  /// Undoes the last group; if a group is open, undoes the nested group that is the last action of the
  /// innermost open group.
  ///
  /// Does nothing if there is no such group. The actions registered during the undo become one redo group.
  /// Stops the program if an undo or a redo is running.
  open func undoNestedGroup() {
    post(.NSUndoManagerCheckpoint)
    if isUndoing || isRedoing { Misuse.undoWhileUndoing("undoNestedGroup") }
    guard let group = openGroups.last.map({ $0.popGroup() }) ?? undoGroups.popLast() else { return }
    // The undone actions may come from an open group, but the actions that they register go to the redo
    // stack.
    let open = openGroups
    openGroups = []
    post(.NSUndoManagerWillUndoChange)
    isUndoing = true
    perform(group)
    isUndoing = false
    openGroups = open
    post(.NSUndoManagerDidUndoChange)
  }

  /// Redoes the group that was undone last; does nothing if there is no such group.
  ///
  /// Stops the program if an undo or a redo is running.
  open func redo() {
    post(.NSUndoManagerCheckpoint)
    if isUndoing || isRedoing { Misuse.undoWhileUndoing("redo") }
    guard let group = redoGroups.popLast() else { return }
    post(.NSUndoManagerWillRedoChange)
    isRedoing = true
    perform(group)
    isRedoing = false
    post(.NSUndoManagerDidRedoChange)
  }

  private func perform(_ group: UndoGroup) {
    beginUndoGrouping()
    openGroups.last?.name = group.name
    openGroups.last?.isDiscardable = group.isDiscardable
    group.perform()
    while openGroups.count > 1 { endUndoGrouping() }
    endUndoGrouping()
  }

  // MARK: Removing actions

  /// Removes all actions, and enables registration.
  ///
  /// Ends the current event's group if no nested group is open. All other open groups remain open, without
  /// actions.
  open func removeAllActions() {
    undoGroups = []
    redoGroups = []
    for group in openGroups { group.actions = [] }
    closeEventGroup()
    disabled = 0
  }

  /// Removes the actions of one target.
  open func removeAllActions(withTarget target: Any) {
    let identity = ObjectIdentifier(target as AnyObject)
    for group in openGroups { group.remove(identity) }
    for group in undoGroups + redoGroups { group.remove(identity) }
    undoGroups.removeAll(where: \.isEmpty)
    redoGroups.removeAll(where: \.isEmpty)
  }

  // MARK: Names

  /// Sets the name of the outermost open group or, if no group is open, of the next group to undo, for
  /// example “Paste”; an empty string removes the name.
  ///
  /// Does nothing while registration is disabled.
  open func setActionName(_ actionName: String) {
    if !isUndoRegistrationEnabled { return }
    let group = openGroups.first ?? undoGroups.last
    group?.name = actionName.isEmpty ? nil : actionName
  }

  /// Sets whether the innermost open group or, if no group is open, the next group to undo may be discarded
  /// when its document is closed.
  open func setActionIsDiscardable(_ discardable: Bool) {
    (openGroups.last ?? undoGroups.last)?.isDiscardable = discardable
  }
  /// Whether the next group to undo may be discarded; false if there is no group.
  ///
  /// Open groups are ignored.
  open var undoActionIsDiscardable: Bool { undoGroups.last?.isDiscardable ?? false }
  /// Whether the next group to redo may be discarded; false if there is no group.
  open var redoActionIsDiscardable: Bool { redoGroups.last?.isDiscardable ?? false }

  /// The name of the next group to undo, which can be an open group; empty if there is no group or it has no
  /// name.
  open var undoActionName: String {
    (openGroups.first { !$0.isEmpty } ?? undoGroups.last)?.name ?? ""
  }
  /// The name of the next group to redo; empty if there is no group or the group has no name.
  open var redoActionName: String { redoGroups.last?.name ?? "" }
  /// “Undo”, followed by the name of the next group to undo, if there is a name.
  open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }
  /// “Redo”, followed by the name of the next group to redo, if there is a name.
  open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }
  /// Returns “Undo”, followed by `actionName` if it is not empty.
  open func undoMenuTitle(forUndoActionName actionName: String) -> String {
    actionName.isEmpty ? "Undo" : "Undo \(actionName)"
  }
  /// Returns “Redo”, followed by `actionName` if it is not empty.
  open func redoMenuTitle(forUndoActionName actionName: String) -> String {
    actionName.isEmpty ? "Redo" : "Redo \(actionName)"
  }

  private func post(_ name: NSNotification.Name) {
    NotificationCenter.default.post(name: name, object: self)
  }
}
#endif
