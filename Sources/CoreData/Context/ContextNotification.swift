// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A context notification whose `userInfo` is expensive to build.
///
/// A program that has not read the notification's name is assumed not to observe the notification, which is
/// then posted without `userInfo`.
///
/// Source: this library's choice; DEVIATIONS.md describes the one visible difference.
struct ContextNotification: Sendable {
  private let index: Int
  private let text: String
  private static let readNames = Atomic<UInt>(0)
  /// Apple's key for the history token in save notifications; it has no public constant.
  ///
  /// Source: observed in the notifications of Apple's contexts.
  static let changeTokenKey = "newChangeToken"

  static let objectsDidChange = ContextNotification(
    index: 0,
    text: "NSManagedObjectContextObjectsDidChangeNotification"
  )
  static let didSave = ContextNotification(
    index: 1,
    text: "NSManagedObjectContextDidSaveNotification"
  )
  static let didSaveObjectIDs = ContextNotification(
    index: 2,
    text: "NSManagedObjectContextDidSaveObjectIDsNotification"
  )

  /// The notification's name, for code that may add an observer for it.
  ///
  /// Once this property has been read, `post(_:_:)` builds the `userInfo`.
  var name: NSNotification.Name {
    Self.readNames.bitwiseOr(1 << UInt(index), ordering: .relaxed)
    return NSNotification.Name(text)
  }

  /// The notification's name, for code that adds no observer; reading it does not enable the `userInfo`.
  var nameWithoutObserving: NSNotification.Name { NSNotification.Name(text) }

  /// Whether the program may observe the notification, because `name` has been read.
  var mayBeObserved: Bool {
    Self.readNames.load(ordering: .relaxed) >> UInt(index) & 1 != 0
  }

  /// Posts the notification; `info` is evaluated only if `mayBeObserved` is true.
  @inline(__always)
  func post(_ context: NSManagedObjectContext, _ info: () -> [AnyHashable: Any]) {
    post(context, userInfo: mayBeObserved ? info() : nil)
  }

  /// Posts the notification with the given `userInfo`.
  func post(_ context: NSManagedObjectContext, userInfo: [AnyHashable: Any]? = nil) {
    NotificationCenter.default.post(
      name: NSNotification.Name(text),
      object: context,
      userInfo: userInfo
    )
  }
}
