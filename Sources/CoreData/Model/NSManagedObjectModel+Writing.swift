// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

extension NSManagedObjectModel {
  /// Writes the model in compiled form: as a `.momd` folder with one version if the extension of `url` is
  /// `momd`, otherwise as a `.mom` file.
  ///
  /// Not in Apple's framework.
  ///
  /// The format is that of Apple's tools, and Apple's framework can read the file.
  /// - Throws: `NSCoreDataError` (134060), with entity, property and reason, if the model is invalid or has
  ///   composite attributes; Foundation's errors if the file cannot be written.
  public func write(to url: URL) throws {
    do {
      let definition = try currentDefinition()
      let predicates = PredicateTexts()
      if url.pathExtension == "momd" {
        let name = url.deletingPathExtension().lastPathComponent
        try CompiledModel.write(
          [(name, definition)],
          current: name,
          to: url,
          predicates: predicates
        )
      } else {
        try CompiledModel.write(definition, to: url, predicates: predicates)
      }
    } catch let error as ModelError {
      throw cocoaError(error)
    }
  }
}
