// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A running observation of one property; it ends with `invalidate()` or when nobody holds it.
public final class NSKeyValueObservation: NSObject, Sendable {
  private let switchBoard: ObserverSwitch

  init(_ switchBoard: ObserverSwitch) {
    self.switchBoard = switchBoard
    super.init()
  }

  deinit { switchBoard.turnOff() }

  /// Ends the observation; nothing where it has ended.
  public func invalidate() { switchBoard.turnOff() }
}

/// Whether an observation runs; turned off on any thread.
final class ObserverSwitch: Sendable {
  private let ended = Atomic<Bool>(false)
  var isOn: Bool { !ended.load(ordering: .acquiring) }
  func turnOff() { ended.store(true, ordering: .releasing) }
}
