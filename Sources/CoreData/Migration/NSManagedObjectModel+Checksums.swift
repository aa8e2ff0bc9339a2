// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension NSManagedObjectModel {
  /// Returns the checksums of the versions in a model folder (`.momd`, `.xcdatamodeld`), by version name.
  ///
  /// For the file of a single model, returns the checksum of that model. The checksums are computed from the
  /// models, not read from `VersionInfo.plist`.
  ///
  /// - Throws: `NSCoreDataError` if the folder or a version cannot be read, or is not a valid model.
  /// - Source: documented, “checksumsForVersionedModelAtURL:error:”.
  public class func __checksumsForVersionedModel(at modelURL: URL) throws -> [String: String] {
    do {
      let files =
        modelURL.pathExtension == "momd"
        ? try CompiledModel.versions(of: modelURL).map { ($0.name, $0.file) }
        : try ModelFile.versions(of: modelURL).map { ($0.name, $0.contents) }
      var checksums: [String: String] = [:]
      for (name, file) in files {
        let definition = try ModelDefinition(ModelLocator.draft(at: file))
        checksums[name] = ModelHashes(model: definition).checksum
      }
      return checksums
    } catch {
      throw cocoaError(error)
    }
  }
}
