// SPDX-License-Identifier: Apache-2.0

/// An error in the stages of a staged migration.
package struct StagingError: Error, Hashable, CustomStringConvertible {
  package enum Code: Sendable {
    /// Two stages have the same version, or a custom stage begins and ends with the same version.
    case duplicateVersion
    /// The version of the store or of the model is in no stage.
    case unknownVersion
    /// The version of the model precedes the version of the store in the order of the stages.
    case backward
  }

  package let code: Code
  /// The reason for the error, which names the affected stages and checksums, and a remedy.
  package let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
