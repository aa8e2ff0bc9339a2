// SPDX-License-Identifier: Apache-2.0

/// The version of this package, the only place that says it; the README names it for `from:`.
package enum PackageVersion {
  package static let text = "0.1.0"
}
