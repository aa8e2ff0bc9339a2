// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSManagedObject {
  /// Calls the observer's `observeValue(forKeyPath:of:change:context:)` when the property named `keyPath`
  /// changes, until `removeObserver(_:forKeyPath:)` is called.
  ///
  /// `keyPath` can be any name that `observe(key:options:changeHandler:)` accepts. The object does not retain
  /// the observer; an observer that no longer exists is not called.
  ///
  /// Source: documented, “addObserver(_:forKeyPath:options:context:)”.
  public func addObserver(
    _ observer: any KeyValueObserver,
    forKeyPath keyPath: String,
    options: NSKeyValueObservingOptions = [],
    context: UnsafeMutableRawPointer?
  ) {
    let observation = startObserving(
      keyPath,
      options: options,
      read: { (object: NSManagedObject) in object.value(forKey: keyPath) },
      handler: { [weak observer] object, change in
        observer?.observeValue(
          forKeyPath: keyPath,
          of: object,
          change: Self.dictionary(change),
          context: context
        )
      }
    )
    watchers.registrations.append(
      ObserverRegistration(
        observer,
        keyPath: keyPath,
        context: context,
        observation: observation
      )
    )
  }

  /// Ends the observer's last registration for `keyPath`; stops the program if there is no such registration.
  ///
  /// Source: documented, “removeObserver(_:forKeyPath:)”.
  public func removeObserver(_ observer: any KeyValueObserver, forKeyPath keyPath: String) {
    removeRegistration(of: observer, keyPath) { _ in true }
  }

  /// Ends the observer's last registration for `keyPath` with this context; stops the program if there is no
  /// such registration.
  ///
  /// Source: documented, “removeObserver(_:forKeyPath:context:)”.
  public func removeObserver(
    _ observer: any KeyValueObserver,
    forKeyPath keyPath: String,
    context: UnsafeMutableRawPointer?
  ) {
    removeRegistration(of: observer, keyPath) { $0.has(context) }
  }

  private func removeRegistration(
    of observer: any KeyValueObserver,
    _ keyPath: String,
    where isWanted: (ObserverRegistration) -> Bool
  ) {
    checkQueue("removeObserver:forKeyPath:")
    let found = existingWatchers?.registrations.lastIndex {
      $0.isOf(observer, keyPath) && isWanted($0)
    }
    guard let found, let registration = existingWatchers?.registrations.remove(at: found) else {
      Misuse.removesUnknownObserver("\(type(of: observer))", keyPath, of: self)
    }
    registration.end()
  }

  private static func dictionary(
    _ change: NSKeyValueObservedChange<Any?>
  ) -> [NSKeyValueChangeKey: Any] {
    var values: [NSKeyValueChangeKey: Any] = [.kindKey: NSNumber(value: change.kind.rawValue)]
    if let new = change.newValue { values[.newKey] = new ?? NSNull() }
    if let old = change.oldValue { values[.oldKey] = old ?? NSNull() }
    if change.isPrior { values[.notificationIsPriorKey] = NSNumber(value: true) }
    return values
  }
}
