// SPDX-License-Identifier: Apache-2.0

/// Programmer errors that concern batch requests.
extension Misuse {
  /// The program read the entity of a batch update that has only a name and was not executed yet.
  static func batchUpdateUnresolved(_ name: String) -> Never {
    fatalError(
      "This batch update request (entity name '\(name)') was created with a string name, and cannot "
        + "respond to -entity until executed by an NSManagedObjectContext."
    )
  }
}
