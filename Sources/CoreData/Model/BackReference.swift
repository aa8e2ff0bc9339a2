// SPDX-License-Identifier: Apache-2.0

/// A reference to an owner or a related description that is cleared when its target is deinitialised.
///
/// Descriptions use it where Apple's headers say `assign`. It does not retain the target and never
/// dangles and, unlike Swift's `weak`, does not slow down the target's reference counting.
///
/// Source: chosen.
package final class BackReference<Target: AnyObject> {
  // Unsafe: the target's deinit calls `clear()` before its memory is freed.
  package private(set) unowned(unsafe) var target: Target?

  package init() {}
  /// Sets the target; called once by the target itself.
  func set(_ target: Target) { self.target = target }
  /// Clears the reference; called from the target's deinit.
  func clear() { target = nil }
}
