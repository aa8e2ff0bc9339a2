// SPDX-License-Identifier: Apache-2.0

/// The documentation of the error codes in `docs/errors`.
enum ErrorPage {
  /// Returns the path of the code's entry, relative to the package's folder, for the help anchor of an error.
  ///
  /// Returns nil for a code without an entry, for example a code that a model assigns to a validation
  /// predicate.
  static func anchor(of code: Int) -> String? {
    switch code {
    case 4, 256, 259, 260, 512, 513, 3072, 1550...1690, 132_000...134_999:
      "docs/errors/README.md#\(code)"
    default: nil
    }
  }
}
