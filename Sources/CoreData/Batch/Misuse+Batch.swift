// SPDX-License-Identifier: Apache-2.0

extension Misuse {
  static func batchUpdateUnresolved(_ name: String) -> Never {
    fatalError(
      "This batch update request (entity name '\(name)') was created with a string name, and cannot "
        + "respond to -entity until executed by an NSManagedObjectContext."
    )
  }
}
