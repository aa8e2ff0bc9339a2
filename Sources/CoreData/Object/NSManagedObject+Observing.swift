// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel

/// Objects whose properties can be observed by key path.
///
/// In Apple's framework `NSObject` conforms to a protocol of this name; here `NSManagedObject` does.
public protocol _KeyValueCodingAndObserving {}

extension NSManagedObject: _KeyValueCodingAndObserving {}

extension _KeyValueCodingAndObserving where Self: NSManagedObject {
  /// Calls `changeHandler` synchronously when the property changes.
  ///
  /// A property changes, for example, through a setter, the inverse of a relationship, a refresh, a merge, a
  /// rollback, an undo or a redo.
  ///
  /// ```swift
  /// let observation = team.observe(\.wins, options: [.old, .new]) { team, change in
  ///   print(change.oldValue ?? 0, "→", change.newValue ?? 0)
  /// }
  /// ```
  /// A setter is reported even if the new value equals the old one. A refresh is reported unless the object
  /// is realised both before and after the refresh and the property's values are equal. The key path must
  /// name a property of the model; any other key path stops the program. The observation ends when the
  /// returned `NSKeyValueObservation` is invalidated or released.
  /// - Complexity: O(1) for each change; no cost without observers.
  /// - Source: documented, “observe(_:options:changeHandler:)”.
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value>,
    options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    let name = KeyPathNames.requiredName(of: keyPath)
    return startObserving(
      name,
      options: options,
      read: { $0[keyPath: keyPath] },
      handler: changeHandler
    )
  }
}

extension NSManagedObject {
  /// Calls `changeHandler` synchronously when the property named `key` changes.
  ///
  /// Not in Apple's framework.
  ///
  /// Works like `observe(_:options:changeHandler:)`, but does not need a class that declares the property.
  /// The name can also be that of a computed property for which `keyPathsForValuesAffectingValue(forKey:)`
  /// returns names; any other name stops the program.
  ///
  /// Source: this library's choice.
  public func observe(
    key: String,
    options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping (NSManagedObject, NSKeyValueObservedChange<Any?>) -> Void
  ) -> NSKeyValueObservation {
    startObserving(
      key,
      options: options,
      read: { (object: NSManagedObject) in object.value(forKey: key) },
      handler: changeHandler
    )
  }

  func startObserving<Object: NSManagedObject, Value>(
    _ name: String,
    options: NSKeyValueObservingOptions,
    read: @escaping (Object) -> Value,
    handler: @escaping (Object, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    let slots = slots(affecting: name)
    guard let object = self as? Object else { Misuse.undefinedKey(name, of: self, verb: Self.verb) }
    checkQueue("addObserver:forKeyPath:options:context:")
    let observer = TypedObserver(options, read: read, handler: handler)
    observer.start(object)
    for slot in slots { watchers.add(observer, slot: slot) }
    flags.insert(.observed)
    return NSKeyValueObservation(observer)
  }

  private static let verb = "addObserver:forKeyPath:options:context:"

  /// Returns the slot of a property, or the slots of the properties on which a computed property depends;
  /// stops the program if a name belongs to neither a property nor a computed property with dependencies.
  private func slots(affecting name: String) -> Set<Int> {
    var slots: Set<Int> = []
    var seen: Set<String> = []
    var waiting = [name]
    while let key = waiting.popLast() {
      if !seen.insert(key).inserted { continue }
      let others = Self.keyPathsForValuesAffectingValue(forKey: key)
      if let property = property(key) {
        slots.insert(property.slot)
      } else if others.isEmpty {
        Misuse.undefinedKey(key, of: self, verb: Self.verb)
      }
      waiting += others
    }
    return slots
  }

  /// Returns the publisher of changes to any property of this object; the first call creates the publisher
  /// with `make`.
  ///
  /// `send` is called before each change that is reported to property observers, and once before all values
  /// are replaced together, for example by a refresh. The object retains the publisher.
  package func changePublisher<Publisher: AnyObject>(
    _ make: () -> Publisher,
    send: @escaping (Publisher) -> Void
  ) -> Publisher {
    flags.insert(.observed)
    return watchers.publisher(make, send: send)
  }

  var watchers: PropertyWatchers {
    if let existingWatchers { return existingWatchers }
    let made = PropertyWatchers()
    detailCreatingIfNeeded.observers = made
    return made
  }

  var existingWatchers: PropertyWatchers? {
    // Only this module sets `observers`, so the downcast cannot fail.
    detail?.observers.map { unsafeDowncast($0, to: PropertyWatchers.self) }
  }
}

extension NSManagedObject {
  @inline(__always)
  final func watching(_ slot: Int, _ change: () -> Void) {
    guard isWatched else { return change() }
    reportWillChange(slot)
    change()
    reportDidChange(slot)
  }

  @inline(never)
  final func reportAccess(_ slot: Int) {
    checkQueue(slot, "valueForKey")
    guard flags.contains(.tracked) else { return }
    let watchers = watchers
    watchers.recorder?.willRead(self, slot)
    watchers.access(slot)
  }

  final func recordReads(with recorder: PathRecorder) {
    watchers.recorder = recorder
    flags.insert(.tracked)
  }

  @inline(never)
  final func reportWillChange(_ slot: Int) {
    checkQueue(slot, "setValue:forKey")
    if flags.contains(.unrecorded) { return }
    if flags.contains(.tracked) { existingWatchers?.willSet(slot) }
    guard flags.contains(.observed), let existingWatchers else { return }
    existingWatchers.publishChange()
    for observer in existingWatchers.running(slot) { observer.willChange(self) }
  }

  @inline(never)
  final func reportDidChange(_ slot: Int) {
    if flags.contains(.unrecorded) { return }
    if flags.contains(.tracked) { existingWatchers?.didSet(slot) }
    guard flags.contains(.observed), let existingWatchers else { return }
    for observer in existingWatchers.running(slot) { observer.didChange(self) }
    if !existingWatchers.isObserved { flags.remove(.observed) }
  }

  final func reportWillReplace() {
    guard let existingWatchers else { return }
    if flags.contains(.tracked) {
      for property in entityDefinition.properties { existingWatchers.willSet(property.slot) }
    }
    existingWatchers.publishChange()
    for observer in existingWatchers.running { observer.willReplace(self) }
  }

  final func reportDidReplace() {
    guard let existingWatchers else { return }
    if flags.contains(.tracked) {
      for property in entityDefinition.properties { existingWatchers.didSet(property.slot) }
    }
    for observer in existingWatchers.running { observer.didReplace(self) }
  }
}
