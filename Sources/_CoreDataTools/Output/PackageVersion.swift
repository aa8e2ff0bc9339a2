// SPDX-License-Identifier: Apache-2.0

/// The version of this package.
///
/// It is defined only here; the README repeats it for `from:`.
package enum PackageVersion {
  package static let text = "0.1.0"
}
