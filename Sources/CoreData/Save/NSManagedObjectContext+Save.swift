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
  /// If `validation.reportViolation` is set, passes each violation to that closure and does not throw.
  /// - Throws: one error with all violations, so that an application can show them together.
  func validateChanges() throws {
    validation.isRunning = true
    defer { validation.isRunning = false }
    var errors: [NSError] = []
    func collect(_ object: NSManagedObject, _ check: () throws -> Void) {
      do {
        try check()
      } catch {
        guard let report = validation.reportViolation else {
          return errors.append(error as NSError)
        }
        report(object, error as NSError)
      }
    }
    for object in graph.deleted {
      let object = Self.managed(object)
      collect(object, object.validateForDelete)
    }
    for object in graph.inserted {
      let object = Self.managed(object)
      collect(object, object.validateForInsert)
    }
    for object in graph.updated {
      let object = Self.managed(object)
      collect(object, object.validateForUpdate)
    }
    try ValidationErrors.throwIfAny(errors)
  }
}
