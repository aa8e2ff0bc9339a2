// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// One stage of a staged migration; use `NSLightweightMigrationStage` or `NSCustomMigrationStage`.
///
/// Source: documented, “NSMigrationStage”.
open class NSMigrationStage: NSObject, @unchecked Sendable {
  // Unchecked: a stage is configured before it is passed to a manager, and only read afterwards.

  /// A name of the stage, for error texts; nil by default.
  // Apple declares the property with this type.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var label: String!

  /// The stage for the planner; the base class returns a stage without versions.
  var versionStage: VersionStage { VersionStage(.lightweight([]), label: label) }
}
