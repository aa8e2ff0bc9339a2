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
/// actions. Only one thread at a time may use the manager. The manager does not retain targets.
///
/// Source: documented, “UndoManager”. Foundation on Linux does not have this class.
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
  /// Posts `NSUndoManagerDidOpenUndoGroup`. If neither an undo nor a redo is running, first posts
  /// `NSUndoManagerCheckpoint`.
  open func beginUndoGrouping() {
    if !isUndoing && !isRedoing { post(.NSUndoManagerCheckpoint) }
    openGroups.append(UndoGroup())
    post(.NSUndoManagerDidOpenUndoGroup)
  }

  /// Ends the innermost open group; an empty group is discarded.
  ///
  /// Posts `NSUndoManagerWillCloseUndoGroup` and `NSUndoManagerDidCloseUndoGroup`. If neither an undo nor a
  /// redo is running, first posts `NSUndoManagerCheckpoint`. Stops the program if no group is open.
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

  /// Whether the manager opens a group, the event's group, if an action is registered while no group is open;
  /// true by default.
  ///
  /// `undo()` ends the event's group. If the action was registered on the main thread, a block that the
  /// manager adds to the main queue also ends the group, unless a nested group is open when the block runs.
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

  /// Registers an action that calls `handler` with the target; the action does nothing if the target no
  /// longer exists.
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

  /// Whether there is an action to undo, including actions in open groups.
  ///
  /// End a group that was opened with `beginUndoGrouping()` before you call `undo()`.
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
    post(.NSUndoManagerWillUndoChange)
    isUndoing = true
    perform(group)
    isUndoing = false
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

  /// Performs a group's actions; the actions that they register form a group of their own.
  private func perform(_ group: UndoGroup) {
    // The open groups are set aside, because the new group would be nested in them.
    let (open, isEventGroupOpen) = (openGroups, self.isEventGroupOpen)
    openGroups = []
    defer { (openGroups, self.isEventGroupOpen) = (open, isEventGroupOpen) }
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
  /// Open groups lose their actions but stay open, with one exception: the current event's group ends if no
  /// nested group is open.
  open func removeAllActions() {
    undoGroups = []
    redoGroups = []
    for group in openGroups { group.actions = [] }
    closeEventGroup()
    disabled = 0
  }

  /// Removes all undo and redo actions that were registered with `target`.
  open func removeAllActions(withTarget target: Any) {
    let identity = ObjectIdentifier(target as AnyObject)
    for group in openGroups { group.remove(identity) }
    for group in undoGroups + redoGroups { group.remove(identity) }
    undoGroups.removeAll(where: \.isEmpty)
    redoGroups.removeAll(where: \.isEmpty)
  }

  // MARK: Names

  /// Sets the name, such as “Paste”, of the outermost open group or, if no group is open, of the next group
  /// to undo.
  ///
  /// An empty string removes the name. Does nothing while registration is disabled.
  open func setActionName(_ actionName: String) {
    if !isUndoRegistrationEnabled { return }
    let group = openGroups.first ?? undoGroups.last
    group?.name = actionName.isEmpty ? nil : actionName
  }

  /// Sets whether a group may be discarded if the document cannot be saved.
  ///
  /// The group is the innermost open group or, if no group is open, the next group to undo.
  open func setActionIsDiscardable(_ discardable: Bool) {
    (openGroups.last ?? undoGroups.last)?.isDiscardable = discardable
  }
  /// Whether the next group to undo may be discarded; false if there is no group.
  ///
  /// Open groups are ignored.
  open var undoActionIsDiscardable: Bool { undoGroups.last?.isDiscardable ?? false }
  /// Whether the next group to redo may be discarded; false if there is no group.
  open var redoActionIsDiscardable: Bool { redoGroups.last?.isDiscardable ?? false }

  /// The name of the next group to undo; empty if there is no group or the group has no name.
  ///
  /// If open groups have actions, the outermost of these groups is the next group to undo.
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
