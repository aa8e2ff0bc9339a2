// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Decides how often a save asks its merge policy, and how long it waits before.
///
/// A policy that does not resolve a conflict is asked 32 times. A policy that resolves its conflicts, while other
/// contexts or processes keep changing the same rows, is asked until a save succeeds, or until the timeout of the
/// stores is over.
///
/// Source: this library's choice.
struct ResolutionLimit {
  /// The number of calls that every policy gets.
  private static let least = 32
  /// The seconds for which a save tries again, if no store has a timeout.
  private static let defaultTimeout = 30.0
  /// The greatest pause, in microseconds.
  private static let longestPause: UInt32 = 50_000

  /// The number of calls of the policy.
  private(set) var resolutions = 0
  private var unresolved = 0
  private var start: ContinuousClock.Instant?
  private var timeout = Duration.seconds(Self.defaultTimeout)
  /// The versions with which the objects of the last conflict would have been written.
  private var versions: [ObjectIdentifier: Int] = [:]

  /// Waits before the rows of a conflict are read, if the policy was asked before.
  ///
  /// The pauses are random and grow, so that the saves of several contexts stop meeting each other.
  func pause() {
    if resolutions < 2 { return }
    usleep(UInt32.random(in: 0...min(Self.longestPause, 500 << min(UInt32(resolutions), 7))))
  }

  /// Records a conflict of a save of `context`, and returns whether the policy is to be asked.
  mutating func admits(_ conflict: SaveConflict, in context: NSManagedObjectContext) -> Bool {
    if start == nil {
      start = .now
      let options = context.coordinator?.persistentStores.compactMap {
        ($0.options?[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue
      }
      timeout = .seconds(options?.max() ?? Self.defaultTimeout)
    }
    var present: [ObjectIdentifier: Int] = [:]
    for version in conflict.versions {
      present[ObjectIdentifier(version.sourceObject)] = version.oldVersionNumber
    }
    // A policy that resolves a conflict gives the object the version of the row. A constraint has no version.
    let isUnresolved = present.isEmpty || present.contains { versions[$0.key] == $0.value }
    if isUnresolved, resolutions > 0 { unresolved += 1 }
    versions = present
    if unresolved == Self.least { return false }
    if resolutions >= Self.least, isOver { return false }
    resolutions += 1
    return true
  }

  private var isOver: Bool { start.map { ContinuousClock.now - $0 > timeout } ?? false }

  /// Returns the error for a conflict for which the policy is not asked again, with the code and user info of
  /// `conflict.error`.
  func conflictsAgain(_ conflict: SaveConflict) -> NSError {
    let error = conflict.error
    let cause =
      unresolved >= Self.least
      ? "The policy does not resolve the conflicts. "
      : "Other contexts or processes keep changing the same rows, for longer than the timeout of the store "
        + "(NSPersistentStoreTimeoutOption). Save again. "
    return coreDataError(
      error.code,
      error.localizedDescription,
      "The save still conflicts after \(resolutions) calls of the merge policy. \(cause)"
        + (error.localizedFailureReason ?? ""),
      userInfo: error.userInfo
    )
  }
}
