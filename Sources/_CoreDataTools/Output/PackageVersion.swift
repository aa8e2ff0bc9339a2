// SPDX-License-Identifier: Apache-2.0

/// The version of this package; it must equal the version in the README.
package enum PackageVersion {
  package static let text = "0.1.0"
}
