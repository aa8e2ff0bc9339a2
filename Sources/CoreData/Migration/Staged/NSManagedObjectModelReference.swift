// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A reference to a version of a model, with the checksum that the version must have.
///
/// A file is read when its model is needed, so references to old versions that no store has cost nothing.
///
/// Source: documented, “NSManagedObjectModelReference”.
open class NSManagedObjectModelReference: NSObject, @unchecked Sendable {
  // Unchecked: the reference is immutable except for the model that was found, which is guarded by a lock.
  private let source: ModelReferenceSource
  private let found: Mutex<NSManagedObjectModel?>

  init(_ source: ModelReferenceSource, _ versionChecksum: String) {
    self.source = source
    self.versionChecksum = versionChecksum
    found = Mutex(nil)
    super.init()
  }

  /// Creates a reference to a model in memory, which must have the given checksum.
  public convenience init(model: NSManagedObjectModel, versionChecksum: String) {
    self.init(.model(model), versionChecksum)
  }

  /// Creates a reference to the model in a file or, in a model folder, to the version with the given
  /// checksum.
  public convenience init(fileURL: URL, versionChecksum: String) {
    self.init(.file(fileURL), versionChecksum)
  }

  /// Creates a reference to the version whose entities have these version hashes, by entity name.
  ///
  /// All versions of the models in `bundle` are searched. If `bundle` is nil, the main bundle, the program's
  /// folder and the resource bundles there are searched.
  public convenience init(
    entityVersionHashes versionHash: [AnyHashable: Any],
    in bundle: Bundle?,
    versionChecksum: String
  ) {
    let hashes = versionHash.map { (String(describing: $0.key.base), $0.value as? Data) }
    self.init(
      .hashes(Dictionary(hashes) { first, _ in first }.compactMapValues { $0 }, bundle),
      versionChecksum
    )
  }

  /// Creates a reference to the version named `modelName` in a bundle.
  ///
  /// The file `Shop 2.xcdatamodel` in `Shop.xcdatamodeld`, for example, contains the version `Shop 2`.
  ///
  /// If `modelName` is the name of a model folder, the version in the folder that has the checksum is used.
  /// If `bundle` is nil, the main bundle, the program's folder and the resource bundles there are searched.
  public convenience init(name modelName: String, in bundle: Bundle?, versionChecksum: String) {
    self.init(.name(modelName, bundle), versionChecksum)
  }

  /// The checksum that the model must have.
  public let versionChecksum: String

  /// The model, which is read at the first access.
  ///
  /// Stops the program if the model is not found or has another checksum. A migration throws
  /// `NSManagedObjectModelReferenceNotFoundError` instead.
  open var resolvedModel: NSManagedObjectModel {
    do {
      return try resolve()
    } catch {
      Misuse.unresolvedModel(error.localizedFailureReason ?? error.localizedDescription)
    }
  }

  /// Returns the model, which is read at the first call.
  ///
  /// - Throws: `NSManagedObjectModelReferenceNotFoundError` if the model is not found or has another
  ///   checksum.
  func resolve() throws(NSError) -> NSManagedObjectModel {
    if let model = found.withLock({ $0 }) { return model }
    let model: NSManagedObjectModel
    do {
      model = try source.model(versionChecksum)
    } catch {
      throw coreDataError(
        NSManagedObjectModelReferenceNotFoundError,
        "The managed object model reference cannot be resolved.",
        error.description
      )
    }
    found.withLock { $0 = model }
    return model
  }

  open override var description: String {
    "<NSManagedObjectModelReference> (\(source.description); checksum: \(versionChecksum))"
  }
}
