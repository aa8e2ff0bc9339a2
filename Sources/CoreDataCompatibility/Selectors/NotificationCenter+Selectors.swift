// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation

extension NotificationCenter {
  /// Calls a method of `observer` for each notification with the name and from the sender; a nil name or
  /// sender matches every notification.
  ///
  /// The selector must have been created with its method, as in `Selector("changed:", Library.changed(_:))`;
  /// otherwise the program stops. The method is called on the thread that posts the notification. The center
  /// does not retain the observer, and the observation ends when the observer is deallocated. If an observer
  /// is added twice, the method is called twice for each notification.
  ///
  /// Source: documented, “addObserver(_:selector:name:object:)”. Foundation on Linux does not have this method.
  public func addObserver(
    _ observer: AnyObject,
    selector aSelector: Selector,
    name aName: NSNotification.Name?,
    object anObject: Any?
  ) {
    guard let method = aSelector.method else {
      fatalError(
        "NotificationCenter.addObserver: the selector “\(aSelector)” has no method. Create the selector with "
          + "its method, such as Selector(\"\(aSelector)\", \(type(of: observer)).\(Self.example(aSelector)))."
      )
    }
    let observation = SelectorObservation(
      observer,
      center: self,
      name: aName,
      sender: anObject.map { $0 as AnyObject }
    )
    observation.start(object: anObject, method: method)
    SelectorObservations.add(observation, of: observer)
  }

  private static func example(_ selector: Selector) -> String {
    let parts = selector.name.split(separator: ":", omittingEmptySubsequences: false)
    let labels = String(repeating: "_:", count: parts.count - 1)
    return (parts.first.map(String.init) ?? "") + (labels.isEmpty ? "" : "(\(labels))")
  }

  /// Ends all observations of `observer` in this center, whether they began with a selector or a block.
  ///
  /// Source: documented, “removeObserver(_:)”. Foundation on Linux has this method only for the values that
  /// `addObserver(forName:object:queue:using:)` returns.
  public func removeObserver(_ observer: AnyObject) {
    removeObserver(observer, name: nil, object: nil)
  }

  /// Ends the observations of `observer` for a name and a sender; a nil name or sender matches every
  /// observation.
  ///
  /// Source: documented, “removeObserver(_:name:object:)”. Foundation on Linux has this method only for the
  /// values that `addObserver(forName:object:queue:using:)` returns.
  public func removeObserver(
    _ observer: AnyObject,
    name aName: NSNotification.Name?,
    object anObject: Any?
  ) {
    SelectorObservations.remove(
      of: observer,
      in: self,
      name: aName,
      sender: anObject.map { $0 as AnyObject }
    )
    // The conversion to `Any` selects Foundation's method, which ends observations with a block.
    removeObserver(observer as Any, name: aName, object: anObject)
  }
}
