// SPDX-License-Identifier: Apache-2.0

/// Programmer errors that concern models; the texts are Apple's where they are known from its logs.
extension Misuse {
  /// A setter of a model, entity or property was called after a coordinator used the model.
  package static func immutableModel() -> Never {
    fatalError("Can't modify an immutable model.")
  }

  /// A model lost an entity or a property while a coordinator began to use it.
  static func modelChanged(_ entity: String, _ property: String?) -> Never {
    let what = property.map { "the property \"\($0)\" of the entity" } ?? "the entity"
    fatalError(
      "The managed object model was changed while a coordinator began to use it: \(what) "
        + "\"\(entity)\" is missing. Build the whole model, on one thread, before you use it."
    )
  }

  /// The program read the entity of a property that does not belong to an entity.
  package static func propertyHasNoEntity(_ name: String) -> Never {
    fatalError(
      "The property \"\(name)\" does not belong to an entity. Add it to an entity's properties."
    )
  }

  /// The program read the model of an entity that does not belong to a model.
  package static func entityHasNoModel(_ name: String?) -> Never {
    fatalError(
      "The entity \"\(name ?? "(null)")\" does not belong to a model. Add it to a model's entities."
    )
  }

  /// The program added an entity of another model to a configuration.
  package static func entityOutsideModel(_ name: String?, configuration: String) -> Never {
    fatalError(
      "The entity \"\(name ?? "(null)")\" cannot be in the configuration \"\(configuration)\": "
        + "it is not in the model's entities."
    )
  }

  /// The program looked up an entity in a context that has no coordinator.
  package static func contextHasNoModel(entityName: String) -> Never {
    fatalError(
      "+entityForName: nil is not a legal NSPersistentStoreCoordinator for searching for "
        + "entity name '\(entityName)'"
    )
  }

  /// The program tried to create an object of an entity that the model does not have.
  package static func unknownEntity(_ name: String) -> Never {
    fatalError(
      "+entityForName: could not locate an entity named '\(name)' in this model."
    )
  }
}
