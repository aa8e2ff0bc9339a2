// SPDX-License-Identifier: Apache-2.0

extension Binding {
  /// The number truncated to an integer; 0 for a value that is not a number or does not fit in an `Int64`.
  package var whole: Int64 {
    switch self {
    case .integer(let number): number
    case .double(let number): Int64(exactly: number.rounded(.towardZero)) ?? 0
    default: 0
    }
  }

  /// The text; nil for a value of another type.
  package var text: String? {
    if case .text(let text) = self { text } else { nil }
  }
}
