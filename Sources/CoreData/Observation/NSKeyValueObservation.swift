// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A running observation of one property; it ends with `invalidate()` or when nobody holds it.
///
/// Holds the handler: what it captures is let go with the observation. The object holds neither.
public final class NSKeyValueObservation: NSObject, Sendable {
  // Unchecked: the observer is used by the object's context; here it is only let go.
  private struct Held: @unchecked Sendable {
    var observer: (any RunningObserver)?
  }
  private let held: Mutex<Held>

  init(_ observer: any RunningObserver) {
    held = Mutex(Held(observer: observer))
    super.init()
  }

  deinit { invalidate() }

  /// Ends the observation; nothing where it has ended.
  public func invalidate() {
    let ended = held.withLock { held -> Held in
      defer { held.observer = nil }
      return held
    }
    ended.observer?.runs.turnOff()
  }
}

/// Whether an observation runs; turned off on any thread.
final class ObserverSwitch: Sendable {
  private let ended = Atomic<Bool>(false)
  var isOn: Bool { !ended.load(ordering: .acquiring) }
  func turnOff() { ended.store(true, ordering: .releasing) }
}

/// What an observation holds.
protocol RunningObserver: AnyObject {
  var runs: ObserverSwitch { get }
}
