// SPDX-License-Identifier: Apache-2.0

/// A container that mirrors its stores to CloudKit; unavailable because Linux has no CloudKit.
///
/// The class exists so that the compiler can suggest the alternative.
@available(
  *,
  unavailable,
  message: "Linux has no CloudKit: use NSPersistentContainer, or #if canImport(CloudKit)"
)
// Unchecked: the class is unavailable, so no instance exists.
open class NSPersistentCloudKitContainer: NSPersistentContainer, @unchecked Sendable {}
