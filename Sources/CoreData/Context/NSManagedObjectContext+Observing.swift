// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSManagedObjectContext {
  /// Calls `changeHandler` on the context's queue whenever `hasChanges` has become true or false.
  ///
  /// ```swift
  /// let observation = context.observe(\.hasChanges, options: .new) { context, change in
  ///   saveButton.isEnabled = change.newValue ?? false
  /// }
  /// ```
  /// The handler is called at the first change, and again when no unsaved change is left, for example after a
  /// save. With `.initial`, the handler is also called at once. With `.prior`, the handler is called twice
  /// for each change, and both calls follow the change. Only `\.hasChanges` can be observed; any other key
  /// path stops the program. The observation ends when the returned object is invalidated or released.
  /// - Complexity: O(1) for each event; no cost without observers.
  /// - Source: documented, “hasChanges” (“You can observe this property using key-value observing”).
  public func observe(
    _ keyPath: KeyPath<NSManagedObjectContext, Bool>,
    options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping (NSManagedObjectContext, NSKeyValueObservedChange<Bool>) -> Void
  ) -> NSKeyValueObservation {
    checkQueue("addObserver:forKeyPath:options:context:")
    guard keyPath == \.hasChanges else { Misuse.notObservable("\(keyPath)") }
    let observer = ChangeFlagObserver(options, changeHandler)
    let current = hasChanges
    if options.contains(.initial) { observer.report(self, old: nil, new: current) }
    if reporter.flagWatchers == nil { reporter.flagWatchers = ChangeFlagWatchers(current) }
    reporter.flagWatchers?.add(observer)
    return NSKeyValueObservation(observer)
  }

  func reportHasChanges() {
    guard let flagWatchers = reporter.flagWatchers else { return }
    let current = hasChanges
    if flagWatchers.lastReported == current { return }
    flagWatchers.lastReported = current
    let running = flagWatchers.running
    for observer in running { observer.reportChange(self, to: current) }
  }
}

final class ChangeFlagWatchers {
  var lastReported: Bool
  private var observers: [WeakObserver] = []
  private struct WeakObserver { weak var target: ChangeFlagObserver? }

  init(_ lastReported: Bool) { self.lastReported = lastReported }

  func add(_ observer: ChangeFlagObserver) { observers.append(WeakObserver(target: observer)) }

  /// The active observers in the order in which they were added.
  ///
  /// Reading this property removes observers whose observation has ended.
  var running: [ChangeFlagObserver] {
    observers.removeAll { $0.target?.runs.isOn != true }
    return observers.compactMap(\.target)
  }
}

final class ChangeFlagObserver: RunningObserver {
  typealias Handler = (NSManagedObjectContext, NSKeyValueObservedChange<Bool>) -> Void
  let runs = ObserverSwitch()
  private let options: NSKeyValueObservingOptions
  private let handler: Handler

  init(_ options: NSKeyValueObservingOptions, _ handler: @escaping Handler) {
    self.options = options
    self.handler = handler
  }

  func reportChange(_ context: NSManagedObjectContext, to new: Bool) {
    let old = options.contains(.old) ? !new : nil
    if options.contains(.prior) { report(context, old: old, new: nil, isPrior: true) }
    report(context, old: old, new: new)
  }

  func report(_ context: NSManagedObjectContext, old: Bool?, new: Bool?, isPrior: Bool = false) {
    guard runs.isOn else { return }
    handler(
      context,
      NSKeyValueObservedChange(
        kind: .setting,
        newValue: options.contains(.new) ? new : nil,
        oldValue: old,
        indexes: nil,
        isPrior: isPrior
      )
    )
  }
}
