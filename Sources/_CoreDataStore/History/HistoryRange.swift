// SPDX-License-Identifier: Apache-2.0

/// Which transactions of a history; none of the bounds is part of it.
package enum HistoryRange: Sendable, Hashable {
  case all
  /// Those with a greater number.
  case after(Int64)
  /// Those with a smaller number.
  case before(Int64)
  /// Later ones; seconds since 2001.
  case since(Double)
  /// Earlier ones; seconds since 2001.
  case until(Double)
}
