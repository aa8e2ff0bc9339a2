// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite

/// The versions of a coordinator's model, with the source and the destination of a migration.
struct ModelVersions {
  private let source: NSManagedObjectModel
  private let destination: NSManagedObjectModel
  /// The versions in the destination's model folder; empty if the destination is not in a model folder.
  let all: [NSManagedObjectModel]

  /// Reads all versions in the model folder of `destination`.
  init(_ source: NSManagedObjectModel, _ destination: NSManagedObjectModel) {
    self.source = source
    self.destination = destination
    all = destination.sourceURL.map(ModelLocator.versions(near:)) ?? []
  }

  private func version(of model: NSManagedObjectModel) -> NSManagedObjectModel? {
    all.first { $0.versionChecksum == model.versionChecksum }
  }

  /// Returns a note if the destination is an older version than the source, or if the source is not one of
  /// the versions of the destination's model; otherwise nil.
  var orderNote: MigrationForecast.Note? {
    let (old, new) = (version(of: source), version(of: destination))
    func facts(
      _ model: NSManagedObjectModel,
      _ found: NSManagedObjectModel?
    ) -> VersionOrder.Version {
      VersionOrder.Version(
        name: found?.versionName,
        identifiers: model.versionIdentifiers.compactMap { $0.base as? String }
      )
    }
    let current = destination.sourceURL.flatMap(ModelLocator.currentVersionName(near:))
    return MigrationForecast.Note.order(
      isNewer: VersionOrder(current: current)
        .isNewer(facts(source, old), than: facts(destination, new)),
      isUnknown: old == nil && all.count > 1,
      from: old?.versionName,
      source.versionIdentifiers.compactMap { $0.base as? String },
      to: destination.versionName,
      versions: all.count
    )
  }
}
