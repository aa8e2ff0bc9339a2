// SPDX-License-Identifier: Apache-2.0

/// A reference to an owner or a related description; the target clears the reference when it is
/// deinitialised.
///
/// Descriptions use such a reference where Apple's headers say `assign`. The reference does not retain the
/// target, never dangles and, unlike Swift's `weak`, does not slow down the target's reference counting.
///
/// Source: this library's choice.
package final class BackReference<Target: AnyObject> {
  // Unsafe: the target's deinit calls `clear()` before the target's memory is freed.
  package private(set) unowned(unsafe) var target: Target?

  package init() {}
  /// Sets the target; called once, by the target itself.
  func set(_ target: Target) { self.target = target }
  /// Removes the target; called from the target's deinit.
  func clear() { target = nil }
}
