// SPDX-License-Identifier: Apache-2.0

/// A container that mirrors its stores to CloudKit; there is no CloudKit on Linux.
///
/// The name exists so that the compiler says the way out.
@available(
  *,
  unavailable,
  message: "Linux has no CloudKit: use NSPersistentContainer, or #if canImport(CloudKit)"
)
// Unchecked: unavailable, so no object of it exists.
open class NSPersistentCloudKitContainer: NSPersistentContainer, @unchecked Sendable {}
