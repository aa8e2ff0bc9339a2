// SPDX-License-Identifier: Apache-2.0

/// An error of a staged migration's stages, or of the versions between which they should lead.
package struct StagingError: Error, Hashable, CustomStringConvertible {
  package enum Code: Sendable {
    /// Two stages have the same version.
    case duplicateVersion
    /// The stages do not have the version of the store or of the model.
    case unknownVersion
    /// The version of the model comes before that of the store.
    case backward
  }

  package let code: Code
  /// What is wrong, with the stages and checksums concerned, and what to do.
  package let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
