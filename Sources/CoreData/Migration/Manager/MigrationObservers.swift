// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSMigrationManager {
  /// Calls `changeHandler` when the progress or the current entity mapping of a migration changes.
  ///
  /// ```swift
  /// let observation = manager.observe(\.migrationProgress, options: .new) { _, change in
  ///   print(change.newValue ?? 0)
  /// }
  /// ```
  /// The handler is called on the thread that runs the migration; with the option `initial`, it is first
  /// called before this method returns. Only `\.migrationProgress` and `\.currentEntityMapping` can be
  /// observed; any other key path stops the program. The observation ends when the returned object is
  /// invalidated or released.
  /// - Source: documented, “migrationProgress” and “currentEntityMapping” (“You can observe this value”).
  public func observe<Value>(
    _ keyPath: KeyPath<NSMigrationManager, Value>,
    options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping (NSMigrationManager, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    guard let key = MigrationObservers.Key(keyPath) else { Misuse.notObservable("\(keyPath)") }
    let observer = MigrationObserver(self, keyPath, options: options, handler: changeHandler)
    if options.contains(.initial) { observer.report(old: nil, isPrior: false) }
    state.observers.add(observer, for: key)
    return NSKeyValueObservation(observer)
  }
}

final class MigrationObservers {
  enum Key {
    case progress, currentMapping

    init?(_ keyPath: AnyKeyPath) {
      switch keyPath {
      case \NSMigrationManager.migrationProgress: self = .progress
      case \NSMigrationManager.currentEntityMapping: self = .currentMapping
      default: return nil
      }
    }
  }
  private struct WeakObserver {
    let key: Key
    weak var target: (any RunningMigrationObserver)?
  }
  private var observers: [WeakObserver] = []

  func add(_ observer: any RunningMigrationObserver, for key: Key) {
    observers.append(WeakObserver(key: key, target: observer))
  }

  func change(_ key: Key, _ body: () -> Void) {
    if observers.isEmpty { return body() }
    observers.removeAll { $0.target?.runs.isOn != true }
    let running = observers.filter { $0.key == key }.compactMap(\.target)
    for observer in running { observer.willChange() }
    body()
    for observer in running { observer.didChange() }
  }
}

protocol RunningMigrationObserver: RunningObserver {
  func willChange()
  func didChange()
}

private final class MigrationObserver<Value>: RunningMigrationObserver {
  typealias Handler = (NSMigrationManager, NSKeyValueObservedChange<Value>) -> Void
  let runs = ObserverSwitch()
  private weak var manager: NSMigrationManager?
  private let keyPath: KeyPath<NSMigrationManager, Value>
  private let options: NSKeyValueObservingOptions
  private let handler: Handler
  private var former: Value?

  init(
    _ manager: NSMigrationManager,
    _ keyPath: KeyPath<NSMigrationManager, Value>,
    options: NSKeyValueObservingOptions,
    handler: @escaping Handler
  ) {
    self.manager = manager
    self.keyPath = keyPath
    self.options = options
    self.handler = handler
  }

  func willChange() {
    if options.contains(.old) { former = manager?[keyPath: keyPath] }
    if options.contains(.prior) { report(old: former, isPrior: true) }
  }

  func didChange() {
    report(old: former, isPrior: false)
    former = nil
  }

  func report(old: Value?, isPrior: Bool) {
    guard runs.isOn, let manager else { return }
    let new = options.contains(.new) && !isPrior ? manager[keyPath: keyPath] : nil
    handler(
      manager,
      NSKeyValueObservedChange(
        kind: .setting,
        newValue: new,
        oldValue: old,
        indexes: nil,
        isPrior: isPrior
      )
    )
  }
}
