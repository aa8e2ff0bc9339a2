// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Versions of a model between which mappings are inferred.
///
/// A store of one of these versions migrates to the next custom stage, or to the coordinator's model, in one
/// step. The versions in between are not reached one by one, so their defaults have no effect.
///
/// Source: documented, “NSLightweightMigrationStage”; one step is Apple's behaviour by published tests.
open class NSLightweightMigrationStage: NSMigrationStage, @unchecked Sendable {
  // Unchecked: as the superclass.

  /// Creates a stage for the versions with these checksums, from the oldest to the newest.
  ///
  /// `NSManagedObjectModel.versionChecksum` is the checksum of a model.
  public convenience init(_ checksums: [String]) {
    self.init()
    versionChecksums = checksums
  }

  /// The checksums of the versions, as they were given.
  open private(set) var versionChecksums: [String] = []

  override var versionStage: VersionStage {
    VersionStage(.lightweight(versionChecksums), label: label)
  }
}
