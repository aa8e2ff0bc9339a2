// SPDX-License-Identifier: Apache-2.0

/// Programmer errors that concern batch requests.
extension Misuse {
  /// Stops the program because it read the entity of a batch update that was created with an entity name and
  /// has not been executed.
  static func batchUpdateUnresolved(_ name: String) -> Never {
    fatalError(
      "This batch update request (entity name '\(name)') was created with a string name, and cannot "
        + "respond to -entity until executed by an NSManagedObjectContext."
    )
  }
}
