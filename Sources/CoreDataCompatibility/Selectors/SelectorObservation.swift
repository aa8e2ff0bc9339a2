// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import Synchronization

/// One observation that began with `addObserver(_:selector:name:object:)`.
final class SelectorObservation: @unchecked Sendable {
  // Unchecked: the variables are set before the instance is shared with another thread; weak references and
  // the token may be read on any thread.
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

  /// Starts to call `method` for notifications; call once, before the instance is shared with another thread.
  func start(object: Any?, method: @escaping Selector.Method) {
    token = center?.addObserver(forName: name, object: object, queue: nil) { [weak self] in
      guard let self else { return }
      if let observer { method(observer, $0) } else { SelectorObservations.remove(self) }
    }
  }

  /// Removes the observation from the center.
  func end() {
    if let token { center?.removeObserver(token as Any) }
  }

  /// Whether the observer and the center still exist.
  var isAlive: Bool { observer != nil && center != nil }

  /// Returns whether the observation has the name and the sender; a nil name or sender matches every
  /// observation.
  func matches(_ name: Notification.Name?, _ sender: AnyObject?) -> Bool {
    (name == nil || name == self.name) && (sender == nil || hasSender && sender === self.sender)
  }
}
