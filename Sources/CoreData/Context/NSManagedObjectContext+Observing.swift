// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Observing whether a context has changes.
extension NSManagedObjectContext {
  /// Calls `changeHandler` on the context's queue whenever `hasChanges` has become true or false.
  ///
  /// ```swift
  /// let observation = context.observe(\.hasChanges, options: .new) { context, change in
  ///   saveButton.isEnabled = change.newValue ?? false
  /// }
  /// ```
  /// The first change is told at once, the end of all changes with the save, the rollback, the reset or
  /// the processing of pending changes that ends them. A report before the change (`.prior`) comes
  /// together with the one after it. No other property can be observed; another key path stops the
  /// program. Ends when the observation is invalidated or released.
  /// - Complexity: O(1) for each event; a context that nobody observes pays nothing.
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

  /// Calls the observers of `hasChanges` where it has changed since the last call.
  func reportHasChanges() {
    guard let flagWatchers = reporter.flagWatchers else { return }
    let current = hasChanges
    if flagWatchers.known == current { return }
    flagWatchers.known = current
    let running = flagWatchers.running
    for observer in running { observer.reportChange(self, to: current) }
  }
}

/// Who observes `hasChanges` of one context.
final class ChangeFlagWatchers {
  /// What they were told last.
  var known: Bool
  private var observers: [WeakObserver] = []
  private struct WeakObserver { weak var target: ChangeFlagObserver? }

  init(_ known: Bool) { self.known = known }

  func add(_ observer: ChangeFlagObserver) { observers.append(WeakObserver(target: observer)) }

  /// In the order of adding; those that have ended are let go.
  var running: [ChangeFlagObserver] {
    observers.removeAll { $0.target?.runs.isOn != true }
    return observers.compactMap(\.target)
  }
}

/// One observer of `hasChanges`.
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
