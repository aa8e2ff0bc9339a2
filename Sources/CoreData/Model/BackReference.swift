// SPDX-License-Identifier: Apache-2.0

/// A reference to an owner or a neighbour that is cleared when its target goes.
///
/// Descriptions use it where Apple's headers say `assign`: it keeps nothing alive, never dangles, and,
/// other than Swift's `weak`, leaves the target's reference counting as cheap as it was.
/// Source: chosen.
package final class BackReference<Target: AnyObject> {
  // Unsafe: the target's deinit calls `clear()` before its memory goes.
  package private(set) unowned(unsafe) var target: Target?

  package init() {}
  /// Names the target; called once by the target itself.
  func set(_ target: Target) { self.target = target }
  /// Forgets the target; called by the target's deinit.
  func clear() { target = nil }
}
