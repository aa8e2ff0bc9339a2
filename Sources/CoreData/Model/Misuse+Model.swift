// SPDX-License-Identifier: Apache-2.0

/// Fatal errors about models.
///
/// A text is Apple's where Apple's text is known from logs.
extension Misuse {
  /// Stops the program because a description of a model in use was changed.
  package static func immutableModel() -> Never {
    fatalError("Can't modify an immutable model.")
  }

  /// Stops the program because a model lost an entity or a property while it was being frozen.
  static func modelChanged(_ entity: String, _ property: String?) -> Never {
    let what = property.map { "the property \"\($0)\" of the entity" } ?? "the entity"
    fatalError(
      "The managed object model was changed during its first use: \(what) "
        + "\"\(entity)\" is missing. Build the whole model, on one thread, before you use it."
    )
  }

  /// Stops the program because the model of a reference is not found; `reason` says why.
  static func unresolvedModel(_ reason: String) -> Never {
    fatalError("The managed object model reference cannot be resolved. \(reason).")
  }

  /// Stops the program because a property belongs to no entity, or because the entity has been released.
  package static func propertyHasNoEntity(_ name: String) -> Never {
    let property = name.isEmpty ? "A property without a name" : "The property \"\(name)\""
    fatalError(
      "\(property) does not belong to an entity, or its entity has been released. Add the "
        + "property to an entity's properties, and keep a reference to the entity or its model."
    )
  }

  /// Stops the program because an entity belongs to no model, or because the model has been released.
  package static func entityHasNoModel(_ name: String?) -> Never {
    fatalError(
      "\(entity(name)) does not belong to a model, or its model has been released. Add the entity "
        + "to a model's entities, and keep a reference to the model."
    )
  }

  /// Stops the program because an entity for a configuration is not in the model.
  package static func entityOutsideModel(_ name: String?, configuration: String) -> Never {
    fatalError(
      "\(entity(name)) cannot be in the configuration \"\(configuration)\", because the entity is "
        + "not in the model. Add the entity to the model's entities first."
    )
  }

  private static func entity(_ name: String?) -> String {
    name.map { "The entity \"\($0)\"" } ?? "An entity without a name"
  }

  /// Stops the program because a context has no coordinator.
  ///
  /// `entityName` is empty if the request concerns no entity. With an entity name, the text is Apple's.
  package static func contextHasNoModel(entityName: String) -> Never {
    if entityName.isEmpty {
      fatalError(
        "The context has no persistent store coordinator. Set its persistentStoreCoordinator or its parent "
          + "before you use the context."
      )
    }
    fatalError(
      "+entityForName: nil is not a legal NSPersistentStoreCoordinator for searching for "
        + "entity name '\(entityName)'"
    )
  }

  /// Stops the program because the model has no entity with the given name.
  package static func unknownEntity(_ name: String) -> Never {
    fatalError(
      "+entityForName: could not locate an entity named '\(name)' in this model."
    )
  }
}
