// SPDX-License-Identifier: Apache-2.0

#if OpenCombine
import CoreData
import OpenCombine

extension _KeyValueCodingAndObserving where Self: NSManagedObject {
  /// Returns a publisher of a property's values: the current value, and the new value after each change.
  ///
  /// With `.prior`, the value before each change is also published; without `.initial`, the current value is
  /// not published. The key path must name a property of the model; any other key path stops the program when
  /// a subscriber arrives.
  ///
  /// Source: documented, “publisher(for:options:)”. Combine's method is available for every `NSObject`.
  public func publisher<Value>(
    for keyPath: KeyPath<Self, Value>,
    options: NSKeyValueObservingOptions = [.initial, .new]
  ) -> NSObject.KeyValueObservingPublisher<Self, Value> {
    NSObject.KeyValueObservingPublisher(object: self, keyPath: keyPath, options: options)
  }
}

extension NSObject {
  /// A publisher of the values of one property of a managed object.
  ///
  /// If several values arrive before a subscriber demands one, the subscriber receives only the newest of
  /// them. A subscription retains the object until the subscription is cancelled.
  ///
  /// Source: documented, “NSObject.KeyValueObservingPublisher”.
  public struct KeyValueObservingPublisher<Subject: NSManagedObject, Value>: Publisher, Equatable {
    /// The type of the property.
    public typealias Output = Value
    /// The publisher does not fail.
    public typealias Failure = Never

    /// The object whose property is observed; the publisher retains the object.
    public let object: Subject
    /// The key path of the observed property.
    public let keyPath: KeyPath<Subject, Value>
    /// The observation options; `.initial` and `.prior` determine which values are published.
    public let options: NSKeyValueObservingOptions

    /// Creates a publisher of a property's values, as `publisher(for:options:)` does.
    public init(
      object: Subject,
      keyPath: KeyPath<Subject, Value>,
      options: NSKeyValueObservingOptions
    ) {
      self.object = object
      self.keyPath = keyPath
      self.options = options
    }

    /// Begins an observation for the subscriber.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Value, S.Failure == Never {
      let subscription = KeyValueSubscription(self, subscriber)
      subscriber.receive(subscription: subscription)
      subscription.start()
    }

    /// Returns whether two publishers observe the same property of the same object with the same options.
    public static func == (left: Self, right: Self) -> Bool {
      left.object === right.object && left.keyPath == right.keyPath && left.options == right.options
    }
  }
}

/// The observation of a property for one subscriber.
private final class KeyValueSubscription<Subject: NSManagedObject, Target: Subscriber>:
  Subscription,
  CustomStringConvertible
where Target.Failure == Never {
  private struct State {
    var publisher: NSObject.KeyValueObservingPublisher<Subject, Target.Input>?
    var subscriber: Target?
    var demand = Subscribers.Demand.none
    /// The newest value that the subscriber has not demanded yet.
    var pending: Target.Input?
    var observation: NSKeyValueObservation?
  }
  private let lock = NSRecursiveLock()
  private var state: State

  init(
    _ publisher: NSObject.KeyValueObservingPublisher<Subject, Target.Input>,
    _ subscriber: Target
  ) {
    state = State(publisher: publisher, subscriber: subscriber)
  }

  var description: String { "KVOSubscription" }

  func start() {
    guard let publisher = lock.withLock({ state.publisher }) else { return }
    let observation = publisher.object.observe(publisher.keyPath, options: publisher.options) {
      [weak self] object, _ in
      self?.send(object[keyPath: publisher.keyPath])
    }
    lock.withLock {
      // The subscriber may have cancelled the subscription when it received the first value.
      if state.publisher == nil {
        observation.invalidate()
      } else {
        state.observation = observation
      }
    }
  }

  private func send(_ value: Target.Input) {
    lock.withLock { state.pending = .some(value) }
    flush()
  }

  /// Sends the pending value if the subscriber has demanded one.
  private func flush() {
    let sent: (Target, Target.Input)? = lock.withLock {
      guard state.demand > .none, let subscriber = state.subscriber, let value = state.pending
      else { return nil }
      state.demand -= 1
      state.pending = nil
      return (subscriber, value)
    }
    guard let (subscriber, value) = sent else { return }
    let more = subscriber.receive(value)
    lock.withLock { state.demand += more }
  }

  func request(_ demand: Subscribers.Demand) {
    lock.withLock { state.demand += demand }
    flush()
  }

  func cancel() {
    let ended = lock.withLock {
      defer { state = State(publisher: nil, subscriber: nil) }
      return state
    }
    ended.observation?.invalidate()
  }
}
#endif
