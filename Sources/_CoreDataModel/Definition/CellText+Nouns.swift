// SPDX-License-Identifier: Apache-2.0

extension CellText {
  /// Returns a number with its noun, such as `1 column` or `5,000 columns`.
  ///
  /// `many` is the plural; if it is nil, the plural is `one` with an appended `s`.
  package static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(count(number)) \(number == 1 ? one : many ?? one + "s")"
  }
}
