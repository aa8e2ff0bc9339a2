// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A token that an undo step retains, so that `UndoKeys` can tell whether the step still exists.
final class UndoStepTicket: Sendable {
  /// The number of the step; steps are numbered in chronological order.
  let number: Int
  init(number: Int) { self.number = number }
}

/// Replaced keys that undo steps may still contain, and the keys that replaced them.
///
/// A replacement is kept at least while a step exists whose recording began before the replacement. Later
/// steps contain the new key.
package struct UndoKeys {
  private struct Living { weak var ticket: UndoStepTicket? }

  /// Maps a former key to the key that replaced it, and to the number of the step that was being recorded at
  /// that time.
  private var replacements: [ObjectKey: (key: ObjectKey, step: Int)] = [:]
  private var steps: [Living] = []
  private var nextStep = 0
  private var limit = Self.leastLimit

  private static let leastLimit = 64

  init() {}

  /// The number of replacements and steps that are recorded.
  package var count: Int { replacements.count + steps.count }

  mutating func record(_ old: ObjectKey, replacedBy new: ObjectKey) {
    if count >= limit { prune() }
    replacements[old] = (new, nextStep)
  }

  func currentKey(for key: ObjectKey) -> ObjectKey { replacements[key]?.key ?? key }

  /// Returns a ticket for the step that was recorded until now, and begins the next step.
  mutating func makeTicket() -> UndoStepTicket {
    if count >= limit { prune() }
    let ticket = UndoStepTicket(number: nextStep)
    nextStep += 1
    steps.append(Living(ticket: ticket))
    return ticket
  }

  /// Forgets all replacements and steps; call this method when no step is left.
  mutating func removeAll() {
    replacements = [:]
    steps = []
    limit = Self.leastLimit
  }

  /// Drops the tickets of released steps, and the replacements whose former keys occur in no living step.
  private mutating func prune() {
    steps.removeAll { $0.ticket == nil }
    let oldest = steps.compactMap { $0.ticket?.number }.min() ?? nextStep
    replacements = replacements.filter { $0.value.step >= oldest }
    limit = max(Self.leastLimit, 2 * count)
  }
}
