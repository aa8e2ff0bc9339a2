// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import Foundation

/// Records how to take changes back, in groups, and takes them back.
///
/// ```swift
/// undoManager.registerUndo(withTarget: list) { $0.remove(item) }
/// undoManager.setActionName("Add Item")
/// undoManager.undo()
/// ```
/// While undoing, what is registered can be redone. Confined to one thread at a time. Targets are not
/// kept alive. Source: documented, “UndoManager” of Foundation, which Foundation on Linux lacks.
open class UndoManager: NSObject {
  private var undoGroups: [UndoGroup] = []
  private var redoGroups: [UndoGroup] = []
  /// Groups that were begun and not ended, the outermost first.
  private var openGroups: [UndoGroup] = []
  private var isEventGroupOpen = false
  private var disabled = 0

  /// An empty manager: grouping by event, unlimited levels.
  public override init() { super.init() }

  // MARK: Groups

  /// Begins a group, inside of the open one where there is one.
  ///
  /// Posts `NSUndoManagerCheckpoint` and `NSUndoManagerDidOpenUndoGroup`.
  open func beginUndoGrouping() {
    if !isUndoing && !isRedoing { post(.NSUndoManagerCheckpoint) }
    openGroups.append(UndoGroup())
    post(.NSUndoManagerDidOpenUndoGroup)
  }

  /// Ends the innermost open group; an empty one leaves nothing to undo.
  ///
  /// Without an open group it stops the program. Posts `NSUndoManagerCheckpoint`,
  /// `NSUndoManagerWillCloseUndoGroup` and `NSUndoManagerDidCloseUndoGroup`.
  open func endUndoGrouping() {
    if !isUndoing && !isRedoing { post(.NSUndoManagerCheckpoint) }
    post(.NSUndoManagerWillCloseUndoGroup)
    guard let group = openGroups.popLast() else { Misuse.noOpenUndoGroup("endUndoGrouping") }
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

  /// How many groups are open.
  open var groupingLevel: Int { openGroups.count }

  /// Whether registering opens a group where none is open; true at first.
  ///
  /// Such a group ends when the main queue gets to its next work, where it was opened on the main
  /// thread, and at the latest with `undo()`.
  open var groupsByEvent = true

  /// The most groups that are kept; 0, as at first, for all.
  open var levelsOfUndo = 0 {
    didSet {
      trim(&undoGroups)
      trim(&redoGroups)
    }
  }

  // MARK: Registering

  /// Turns registering off; calls count.
  open func disableUndoRegistration() { disabled += 1 }

  /// Takes one `disableUndoRegistration()` back; one too many stops the program.
  open func enableUndoRegistration() {
    if disabled == 0 { Misuse.undoRegistrationIsEnabled() }
    disabled -= 1
  }

  /// Whether registering has an effect.
  open var isUndoRegistrationEnabled: Bool { disabled == 0 }

  /// Records what takes a change back; `handler` gets the target, unless it is gone by then.
  ///
  /// Clears what could be redone, unless it is called while undoing or redoing. Without an open group,
  /// and without grouping by event, it stops the program.
  public func registerUndo<TargetType: AnyObject>(
    withTarget target: TargetType,
    handler: @escaping (TargetType) -> Void
  ) {
    register(ObjectIdentifier(target)) { [weak target] in
      if let target { handler(target) }
    }
  }

  /// Records an action of a target that is named, not referred to.
  func register(_ target: ObjectIdentifier, _ body: @escaping () -> Void) {
    if !isUndoRegistrationEnabled { return }
    if openGroups.isEmpty {
      if !groupsByEvent { Misuse.noOpenUndoGroup("registerUndo") }
      openEventGroup()
    }
    if !isUndoing && !isRedoing { redoGroups = [] }
    openGroups.last?.actions.append(.call(target: target, body))
  }

  private func openEventGroup() {
    beginUndoGrouping()
    isEventGroupOpen = true
    guard CurrentThread.isMain else { return }
    // The block only runs on the thread that the manager is used on.
    let later = Transfer { [weak self] in self?.closeEventGroup() }
    DispatchQueue.main.async { later.value() }
  }

  private func closeEventGroup() {
    if isEventGroupOpen && openGroups.count == 1 { endUndoGrouping() }
  }

  // MARK: Undoing

  /// Whether there is anything to undo; groups may have to be ended before.
  open var canUndo: Bool {
    !undoGroups.isEmpty || openGroups.contains { !$0.isEmpty }
  }

  /// Whether there is anything to redo.
  ///
  /// Posts `NSUndoManagerCheckpoint`, for those who have changes that are not registered yet.
  open var canRedo: Bool {
    post(.NSUndoManagerCheckpoint)
    return !redoGroups.isEmpty
  }

  /// True while actions are undone.
  open private(set) var isUndoing = false
  /// True while actions are redone.
  open private(set) var isRedoing = false

  /// Ends the group of the event and undoes the last group; nothing where there is none.
  ///
  /// An open group of somebody's own stops the program.
  open func undo() {
    post(.NSUndoManagerCheckpoint)
    closeEventGroup()
    if !openGroups.isEmpty { Misuse.undoInsideGroup() }
    undoNestedGroup()
  }

  /// Undoes the last group; inside of an open group, the last group in that.
  ///
  /// What the actions register is redone as one group.
  open func undoNestedGroup() {
    post(.NSUndoManagerCheckpoint)
    if isUndoing || isRedoing { Misuse.undoWhileUndoing("undoNestedGroup") }
    guard let group = openGroups.last.map({ $0.popGroup() }) ?? undoGroups.popLast() else { return }
    // Actions of an open group go back with it; what they register belongs to the redo stack.
    let open = openGroups
    openGroups = []
    post(.NSUndoManagerWillUndoChange)
    isUndoing = true
    perform(group)
    isUndoing = false
    openGroups = open
    post(.NSUndoManagerDidUndoChange)
  }

  /// Redoes what was undone last; nothing where there is nothing.
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

  // MARK: Forgetting

  /// Forgets everything, and ends open groups; registering is enabled again.
  open func removeAllActions() {
    undoGroups = []
    redoGroups = []
    for group in openGroups { group.actions = [] }
    closeEventGroup()
    disabled = 0
  }

  /// Forgets the actions of one target.
  open func removeAllActions(withTarget target: Any) {
    let identity = ObjectIdentifier(target as AnyObject)
    for group in openGroups { group.remove(identity) }
    for group in undoGroups + redoGroups { group.remove(identity) }
    undoGroups.removeAll(where: \.isEmpty)
    redoGroups.removeAll(where: \.isEmpty)
  }

  // MARK: Names

  /// Names the current group, as “Paste”; an empty name removes it.
  open func setActionName(_ actionName: String) {
    if !isUndoRegistrationEnabled { return }
    let group = openGroups.first ?? undoGroups.last
    group?.name = actionName.isEmpty ? nil : actionName
  }

  /// Says that a document that is closed may lose the last group.
  open func setActionIsDiscardable(_ discardable: Bool) {
    (openGroups.last ?? undoGroups.last)?.isDiscardable = discardable
  }
  /// Whether the next group to undo may be lost.
  open var undoActionIsDiscardable: Bool { undoGroups.last?.isDiscardable ?? false }
  /// Whether the next group to redo may be lost.
  open var redoActionIsDiscardable: Bool { redoGroups.last?.isDiscardable ?? false }

  /// The name of the next group to undo; empty where it has none.
  open var undoActionName: String {
    (openGroups.first { !$0.isEmpty } ?? undoGroups.last)?.name ?? ""
  }
  /// The name of the next group to redo; empty where it has none.
  open var redoActionName: String { redoGroups.last?.name ?? "" }
  /// “Undo” and the name.
  open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }
  /// “Redo” and the name.
  open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }
  /// “Undo” and `actionName`.
  open func undoMenuTitle(forUndoActionName actionName: String) -> String {
    actionName.isEmpty ? "Undo" : "Undo \(actionName)"
  }
  /// “Redo” and `actionName`.
  open func redoMenuTitle(forUndoActionName actionName: String) -> String {
    actionName.isEmpty ? "Redo" : "Redo \(actionName)"
  }

  private func post(_ name: NSNotification.Name) {
    NotificationCenter.default.post(name: name, object: self)
  }
}
#endif
