// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Versions of a model between which mappings are inferred.
///
/// A store of one of these versions migrates in one step to the version with which the next custom stage
/// begins or, without such a stage, to the coordinator's model. Versions in between are skipped, so their
/// default values have no effect.
///
/// Source: documented, “NSLightweightMigrationStage”; published tests show that Apple's framework uses one
/// step.
open class NSLightweightMigrationStage: NSMigrationStage, @unchecked Sendable {
  // Unchecked: a stage is configured before it is passed to a manager, and only read afterwards.

  /// Creates a stage for the versions with these checksums, from the oldest to the newest.
  ///
  /// `NSManagedObjectModel.versionChecksum` is the checksum of a model.
  public convenience init(_ checksums: [String]) {
    self.init()
    versionChecksums = checksums
  }

  /// The checksums of the versions, in the order in which they were passed.
  open private(set) var versionChecksums: [String] = []

  override var versionStage: VersionStage {
    VersionStage(.lightweight(versionChecksums), label: label)
  }
}
