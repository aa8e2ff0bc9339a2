// SPDX-License-Identifier: Apache-2.0

import Observation
import _CoreDataGraph

/// The observers of one object's properties: key-value observers, and Swift's Observation.
///
/// Stored in `ObjectDetail.observers`, which is nil for an object without observers.
final class PropertyWatchers: Observable {
  /// The key-value observers by slot, in the order in which they were added.
  ///
  /// The references are weak, so that an observer is released together with its `NSKeyValueObservation`.
  private var observers: [Int: [WeakObserver]] = [:]
  private struct WeakObserver { weak var target: (any PropertyObserver)? }
  /// The observers that were added by `addObserver(_:forKeyPath:options:context:)`, in order.
  var registrations: [ObserverRegistration] = []
  private let registrar = ObservationRegistrar()
  /// The publisher of changes to any property, and the closure that makes the publisher report a change; nil
  /// until a publisher is requested.
  private var publication: (publisher: AnyObject, send: () -> Void)?
  /// The recorder of the reads of an object that was created to find the name of a key path; otherwise nil.
  var recorder: PathRecorder?

  /// Gives each slot a key path, because Swift's Observation identifies a property by its key path.
  private subscript(slot: Int) -> Int { slot }

  // MARK: Key-value observing

  func add(_ observer: any PropertyObserver, slot: Int) {
    observers[slot, default: []].append(WeakObserver(target: observer))
  }

  /// Returns the active observers of the slot, and removes observers whose observation has ended.
  func running(_ slot: Int) -> [any PropertyObserver] {
    guard let known = observers[slot] else { return [] }
    let running = known.compactMap(\.target).filter(\.runs.isOn)
    if running.count < known.count {
      observers[slot] = running.isEmpty ? nil : running.map { WeakObserver(target: $0) }
    }
    return running
  }

  /// The active observers of all slots, in the order of the slots and without repetitions.
  var running: [any PropertyObserver] {
    var seen: Set<ObjectIdentifier> = []
    return observers.keys.sorted().flatMap(running).filter {
      seen.insert(ObjectIdentifier($0)).inserted
    }
  }
  var isObserved: Bool { !observers.isEmpty || publication != nil }

  // MARK: Publishing

  /// Returns the publisher of changes to any property; the first call creates the publisher with `make`.
  func publisher<Publisher: AnyObject>(
    _ make: () -> Publisher,
    send: @escaping (Publisher) -> Void
  ) -> Publisher {
    if let existing = publication?.publisher as? Publisher { return existing }
    let made = make()
    publication = (made, { send(made) })
    return made
  }

  /// Makes the publisher report that a property is about to change; does nothing without a publisher.
  func publishChange() { publication?.send() }

  // MARK: Swift's Observation

  func access(_ slot: Int) { registrar.access(self, keyPath: \PropertyWatchers[slot]) }
  func willSet(_ slot: Int) { registrar.willSet(self, keyPath: \PropertyWatchers[slot]) }
  func didSet(_ slot: Int) { registrar.didSet(self, keyPath: \PropertyWatchers[slot]) }
}

protocol PropertyObserver: RunningObserver {
  func willChange(_ object: NSManagedObject)
  func didChange(_ object: NSManagedObject)
  /// Called instead of `willChange(_:)` before all values of an object are replaced together.
  func willReplace(_ object: NSManagedObject)
  /// Called instead of `didChange(_:)` after all values of an object were replaced together.
  ///
  /// The observer sends no report if it knows that the property's value is unchanged.
  func didReplace(_ object: NSManagedObject)
}

final class TypedObserver<Object: NSManagedObject, Value>: PropertyObserver {
  typealias Handler = (Object, NSKeyValueObservedChange<Value>) -> Void
  let runs = ObserverSwitch()
  private let options: NSKeyValueObservingOptions
  private let read: (Object) -> Value
  private let handler: Handler
  /// The old values of the changes in progress, outermost first; an entry is nil if the old value was not
  /// read.
  private var former: [Value?] = []

  init(
    _ options: NSKeyValueObservingOptions,
    read: @escaping (Object) -> Value,
    handler: @escaping Handler
  ) {
    self.options = options
    self.read = read
    self.handler = handler
  }

  func start(_ object: Object) {
    if options.contains(.initial) { report(object, old: nil, new: newValue(object)) }
  }

  func willChange(_ object: NSManagedObject) {
    guard let object = object as? Object else { return }
    let old = options.contains(.old) ? read(object) : nil
    former.append(old)
    if options.contains(.prior) { report(object, old: old, new: nil, isPrior: true) }
  }

  func didChange(_ object: NSManagedObject) {
    guard let object = object as? Object, let old = former.popLast() else { return }
    report(object, old: old, new: newValue(object))
  }

  func willReplace(_ object: NSManagedObject) {
    guard let object = object as? Object else { return }
    // Reading a value of a fault would fire the fault, and replacing the values must not do so.
    let old = object.isFault ? nil : read(object)
    former.append(old)
    if options.contains(.prior) {
      report(object, old: options.contains(.old) ? old : nil, new: nil, isPrior: true)
    }
  }

  func didReplace(_ object: NSManagedObject) {
    guard let object = object as? Object, let old = former.popLast() else { return }
    if !object.isFault, let old, Self.areEqual(old, read(object)) { return }
    report(object, old: options.contains(.old) ? old : nil, new: newValue(object))
  }

  private func newValue(_ object: Object) -> Value? { options.contains(.new) ? read(object) : nil }

  private func report(_ object: Object, old: Value?, new: Value?, isPrior: Bool = false) {
    guard runs.isOn else { return }
    handler(
      object,
      NSKeyValueObservedChange(
        kind: .setting,
        newValue: new,
        oldValue: old,
        indexes: nil,
        isPrior: isPrior
      )
    )
  }

  private static func areEqual(_ left: Value, _ right: Value) -> Bool {
    if let left = left as? AnyHashable, let right = right as? AnyHashable { return left == right }
    return false
  }
}
