// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// One step of a staged migration, with its models and its mapping.
struct StagedStep: CustomStringConvertible {
  struct Version {
    let checksum: String
    let definition: ModelDefinition
    let model: NSManagedObjectModel

    /// The name of the model's file; the checksum of a model without a file.
    var name: String { model.sourceURL == nil ? checksum : model.versionName }
  }

  /// The stage whose handlers run before and after the step; nil for a step between stages.
  let stage: NSCustomMigrationStage?
  let source: Version
  let destination: Version
  let mapping: ModelMapping

  /// A text such as `Shop → Shop 2 (custom stage “Split names”)`.
  var description: String {
    let arrow = "\(source.name) → \(destination.name)"
    guard let stage else { return arrow }
    guard let label = stage.label, !label.isEmpty else { return "\(arrow) (custom stage)" }
    return "\(arrow) (custom stage “\(label)”)"
  }
}
