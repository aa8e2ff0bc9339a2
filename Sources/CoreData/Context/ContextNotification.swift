// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The notifications of contexts whose sets are costly, and whether anybody can be observing them.
///
/// A program that has never asked for a notification's name observes it by no name: the sets of a
/// hundred thousand objects are then not built. The notification is posted all the same.
/// Source: chosen; DEVIATIONS.md names the one way to tell.
struct ContextNotification: Sendable {
  private let index: Int
  private let text: String
  private static let asked = Atomic<UInt>(0)
  /// Apple's key of the history token in what a save posts; it has no public constant.
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

  /// The name, for somebody who may observe it.
  var name: NSNotification.Name {
    Self.asked.bitwiseOr(1 << UInt(index), ordering: .relaxed)
    return NSNotification.Name(text)
  }

  /// The name, for somebody who only passes it on.
  var unaskedName: NSNotification.Name { NSNotification.Name(text) }

  private var isAsked: Bool { Self.asked.load(ordering: .relaxed) >> UInt(index) & 1 != 0 }

  /// Posts it, with `info` built only where the name was asked for.
  func post(_ context: NSManagedObjectContext, _ info: () -> [AnyHashable: Any]) {
    NotificationCenter.default.post(
      name: NSNotification.Name(text),
      object: context,
      userInfo: isAsked ? info() : nil
    )
  }
}
