// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import Synchronization

/// One observation that began with `addObserver(_:selector:name:object:)`.
final class SelectorObservation: @unchecked Sendable {
  // Unchecked: the variables are set before another thread has the instance; weak references and the token may
  // be read on any thread.
  private(set) weak var observer: AnyObject?
  private(set) weak var center: NotificationCenter?
  private let name: Notification.Name?
  private weak var sender: AnyObject?
  private let hasSender: Bool
  private var token: (any NSObjectProtocol)?

  init(
    _ observer: AnyObject,
    center: NotificationCenter,
    name: Notification.Name?,
    sender: AnyObject?
  ) {
    self.observer = observer
    self.center = center
    self.name = name
    self.sender = sender
    hasSender = sender != nil
  }

  /// Makes the center call `method`; to be called once, before another thread has the instance.
  func start(object: Any?, method: @escaping Selector.Method) {
    token = center?.addObserver(forName: name, object: object, queue: nil) { [weak self] in
      guard let self else { return }
      if let observer { method(observer, $0) } else { SelectorObservations.remove(self) }
    }
  }

  /// Ends the observation.
  func end() {
    if let token { center?.removeObserver(token as Any) }
  }

  /// Whether the observer and the center exist.
  var isAlive: Bool { observer != nil && center != nil }

  /// Returns whether the observation is for the name and the sender; nil stands for every name, or for every
  /// sender.
  func matches(_ name: Notification.Name?, _ sender: AnyObject?) -> Bool {
    (name == nil || name == self.name) && (sender == nil || hasSender && sender === self.sender)
  }
}
