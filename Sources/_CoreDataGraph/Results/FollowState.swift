// SPDX-License-Identifier: Apache-2.0

/// Whether a results list receives the events of its context, and whether it has missed events.
///
/// An event ends when the context reports its pending changes; the context counts its events.
package enum FollowState: Hashable, Sendable {
  /// The list has not started to follow its context since the last fetch.
  case idle
  /// The list receives every event.
  case following
  /// The list receives events again but has missed some, so the next round checks every row that may have
  /// changed.
  case catchingUp
  /// The list receives no events.
  ///
  /// `since` is the number of the last event that the list reflects; nil if the list was already behind when
  /// it was paused.
  case paused(since: Int?)
  /// The context was reset, and the list stays unchanged until the next fetch.
  case invalidated

  /// Whether the list receives events; also true while it catches up.
  package var isFollowing: Bool { self == .following || self == .catchingUp }

  /// Records that the list receives events from now on; `event` is the number of the context's last event.
  ///
  /// A paused list that has missed events starts to catch up. An invalidated list stays invalidated.
  package mutating func resume(at event: Int) {
    switch self {
    case .idle: self = .following
    case .paused(let last): self = last == event ? .following : .catchingUp
    case .following, .catchingUp, .invalidated: break
    }
  }

  /// Records that the list receives no events from now on; `event` is the number of the context's last event.
  ///
  /// `isBehind` is true if the list has received events that it has not applied. Does nothing for a paused or
  /// invalidated list.
  package mutating func pause(at event: Int, isBehind: Bool) {
    switch self {
    case .idle, .following: self = .paused(since: isBehind ? nil : event)
    case .catchingUp: self = .paused(since: nil)
    case .paused, .invalidated: break
    }
  }

  /// Records that the list has caught up and follows its context; returns false if the list was not catching
  /// up.
  package mutating func endCatchingUp() -> Bool {
    guard self == .catchingUp else { return false }
    self = .following
    return true
  }
}
