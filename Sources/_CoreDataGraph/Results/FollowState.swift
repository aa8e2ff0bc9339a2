// SPDX-License-Identifier: Apache-2.0

/// How far a results list keeps up with the events of its context.
///
/// An event is one processing of pending changes; the context counts its events.
package enum FollowState: Hashable, Sendable {
  /// The list has not followed its context since the last fetch began.
  case idle
  /// The list receives every event.
  case following
  /// The list receives every event again but has missed earlier ones, so the next round checks all of its
  /// rows.
  case catchingUp
  /// The list receives no events.
  ///
  /// `since` is the number of the last event that the list contains; nil if the list missed earlier events.
  case paused(since: Int?)
  /// The context was reset, and the list stays unchanged until the next fetch.
  case invalidated

  /// Whether the list receives events; also true while it catches up.
  package var isFollowing: Bool { self == .following || self == .catchingUp }

  /// Makes the list receive events from now on; `event` is the number of the context's last event.
  ///
  /// An invalidated list stays invalidated.
  package mutating func resume(at event: Int) {
    switch self {
    case .idle: self = .following
    case .paused(let last): self = last == event ? .following : .catchingUp
    case .following, .catchingUp, .invalidated: break
    }
  }

  /// Makes the list receive no events from now on; `event` is the number of the context's last event.
  ///
  /// `isBehind` states whether the list has received events that it has not applied. Does nothing for a
  /// paused or invalidated list.
  package mutating func pause(at event: Int, isBehind: Bool) {
    switch self {
    case .idle, .following: self = .paused(since: isBehind ? nil : event)
    case .catchingUp: self = .paused(since: nil)
    case .paused, .invalidated: break
    }
  }

  /// Makes a list that is catching up follow its context; returns whether the list was catching up.
  package mutating func endCatchingUp() -> Bool {
    guard self == .catchingUp else { return false }
    self = .following
    return true
  }
}
