// SPDX-License-Identifier: Apache-2.0

/// The version of this package, which the dependency in the README repeats.
package enum PackageVersion {
  package static let text = "0.1.0"
}
