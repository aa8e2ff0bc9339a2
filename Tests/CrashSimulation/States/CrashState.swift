// SPDX-License-Identifier: Apache-2.0

/// What reached the disk of the events that were not synchronized.
package struct CrashState {
  package enum Kind: String, CaseIterable, Sendable {
    /// Everything that was written is there, as after a killed process.
    case everything
    /// Only what was synchronized is there.
    case synchronized
    /// Some writes are missing, whatever their order.
    case missing
    /// The writes up to one are there; of this one only some sectors.
    case torn
    /// Some writes and some names are missing, and some writes are torn.
    case reordered
    /// All writes are there, and some changes of names are missing.
    case names
  }

  package enum Choice {
    case present, absent
    /// The ranges of a write that reached the disk.
    case torn([Range<Int>])
  }

  package let kind: Kind
  /// The number of events before the power failed.
  package let point: Int
  /// The choice for each pending event of the point.
  package var choices: [Choice]
}

/// The disk at one moment of a recording: what is certainly there, and the events that may be missing.
package struct CrashPoint {
  package private(set) var index = 0
  private let recording: Recording
  private var durable = Disk()
  private var own: Set<Int> = []
  /// The numbers of the events that no synchronization has completed, in order.
  package private(set) var pending: [Int] = []

  package init(_ recording: Recording) { self.recording = recording }

  /// Continues to a later moment.
  package mutating func advance(to point: Int) {
    while index < point {
      let event = recording.events[index]
      if case .sync(let node) = event {
        var rest: [Int] = []
        for number in pending {
          let pending = recording.events[number]
          if pending.node == node {
            durable.apply(pending, own: &own)
          } else {
            rest.append(number)
          }
        }
        pending = rest
      } else {
        pending.append(index)
      }
      index += 1
    }
  }

  /// Returns the disk with the pending events that were chosen.
  package func disk(_ choices: [CrashState.Choice]) -> Disk {
    var disk = durable
    var copied: Set<Int> = []
    for (number, choice) in zip(pending, choices) {
      switch choice {
      case .absent: break
      case .present: disk.apply(recording.events[number], own: &copied)
      case .torn(let parts):
        disk.apply(recording.events[number], parts: parts, own: &copied)
      }
    }
    return disk
  }

  /// Chooses a state of one kind.
  package func state(_ kind: CrashState.Kind, _ dice: inout Dice) -> CrashState {
    let sector = dice.chance(50) ? 512 : 4096
    let share = [10, 50, 90][dice.below(3)]
    let last = dice.below(pending.count)
    let choices = pending.enumerated().map { place, number -> CrashState.Choice in
      let event = recording.events[number]
      let isName = if case .entries = event { true } else { false }
      switch kind {
      case .everything: return .present
      case .synchronized: return .absent
      case .missing: return isName || dice.chance(share) ? .present : .absent
      case .torn:
        if place < last { return .present }
        return place > last ? .absent : Self.torn(event, sector, &dice)
      case .reordered:
        if isName || dice.chance(75) { return dice.chance(share) ? .present : .absent }
        return Self.torn(event, sector, &dice)
      case .names: return !isName || dice.chance(share) ? .present : .absent
      }
    }
    return CrashState(kind: kind, point: index, choices: choices)
  }

  /// Keeps a random selection of the sectors of a write; other events are there.
  private static func torn(
    _ event: DiskEvent,
    _ sector: Int,
    _ dice: inout Dice
  ) -> CrashState.Choice {
    guard case .write(_, let offset, let bytes) = event else { return .present }
    var parts: [Range<Int>] = []
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, (offset + start) / sector * sector + sector - offset)
      if dice.chance(50) { parts.append(start..<end) }
      start = end
    }
    return .torn(parts)
  }
}
