// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// An observation of one property of an object.
///
/// The observation ends with `invalidate()`, or when this instance is released.
///
/// Until the observation ends, this instance retains the handler. The observed object retains neither the
/// observation nor the handler.
public final class NSKeyValueObservation: NSObject, Sendable {
  // Unchecked: this type only releases the observer and turns off the observer's switch; both operations are
  // thread-safe.
  private struct Held: @unchecked Sendable {
    var observer: (any RunningObserver)?
  }
  private let held: Mutex<Held>

  init(_ observer: any RunningObserver) {
    held = Mutex(Held(observer: observer))
    super.init()
  }

  deinit { invalidate() }

  /// Ends the observation; does nothing if it has already ended.
  public func invalidate() {
    let ended = held.withLock { held -> Held in
      defer { held.observer = nil }
      return held
    }
    ended.observer?.runs.turnOff()
  }
}

/// A flag that is on while an observation is active, and that any thread can turn off.
final class ObserverSwitch: Sendable {
  private let ended = Atomic<Bool>(false)
  var isOn: Bool { !ended.load(ordering: .acquiring) }
  func turnOff() { ended.store(true, ordering: .releasing) }
}

protocol RunningObserver: AnyObject {
  var runs: ObserverSwitch { get }
}
