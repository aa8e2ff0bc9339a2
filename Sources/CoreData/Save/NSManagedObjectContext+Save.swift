// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph

extension NSManagedObjectContext {
  /// Saves the unsaved changes; does nothing if the context has neither a coordinator nor a parent.
  ///
  /// - Throws: the errors of `SaveSession`.
  func saveChanges() throws {
    checkQueue("save()")
    guard isConnected else { return }
    var session = SaveSession(of: self)
    try session.run()
  }

  /// Validates all unsaved objects.
  ///
  /// - Throws: one error with all violations, so that an application can show them together.
  func validateChanges() throws {
    validation.isRunning = true
    defer { validation.isRunning = false }
    var errors: [NSError] = []
    func collect(_ check: () throws -> Void) {
      do { try check() } catch { errors.append(error as NSError) }
    }
    for object in graph.deleted { collect(Self.managed(object).validateForDelete) }
    for object in graph.inserted { collect(Self.managed(object).validateForInsert) }
    for object in graph.updated { collect(Self.managed(object).validateForUpdate) }
    try ValidationErrors.throwIfAny(errors)
  }
}
