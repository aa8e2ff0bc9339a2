// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An object that receives the reports requested by `addObserver(_:forKeyPath:options:context:)`.
///
/// Not in Apple's framework.
///
/// ```swift
/// final class NameLabel: NSObject, KeyValueObserver {
///   func observeValue(
///     forKeyPath keyPath: String?, of object: Any?, change: [NSKeyValueChangeKey: Any]?,
///     context: UnsafeMutableRawPointer?
///   ) {
///     text = change?[.newKey] as? String ?? ""
///   }
/// }
/// team.addObserver(label, forKeyPath: "name", options: .new, context: nil)
/// ```
/// In Apple's framework `NSObject` has the method, and an observer overrides it. On Linux a class cannot
/// override a method that another module adds to `NSObject`, so an observer conforms to this protocol
/// instead, and its method has no `override`.
///
/// Source: this library's choice.
public protocol KeyValueObserver: AnyObject {
  /// Called synchronously for each report; `change` contains the values that the options request.
  func observeValue(
    forKeyPath keyPath: String?,
    of object: Any?,
    change: [NSKeyValueChangeKey: Any]?,
    context: UnsafeMutableRawPointer?
  )
}

/// The observation that one call of `addObserver(_:forKeyPath:options:context:)` started.
struct ObserverRegistration {
  private let observer: ObjectIdentifier
  private let keyPath: String
  private let context: UnsafeMutableRawPointer?
  private let observation: NSKeyValueObservation

  init(
    _ observer: any KeyValueObserver,
    keyPath: String,
    context: UnsafeMutableRawPointer?,
    observation: NSKeyValueObservation
  ) {
    self.observer = ObjectIdentifier(observer)
    self.keyPath = keyPath
    self.context = context
    self.observation = observation
  }

  func isOf(_ observer: any KeyValueObserver, _ keyPath: String) -> Bool {
    self.observer == ObjectIdentifier(observer) && self.keyPath == keyPath
  }

  func has(_ context: UnsafeMutableRawPointer?) -> Bool { self.context == context }
  func end() { observation.invalidate() }
}
