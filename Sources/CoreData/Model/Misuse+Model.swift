// SPDX-License-Identifier: Apache-2.0

/// Programmer errors that concern models; the texts are Apple's where they are known from its logs.
extension Misuse {
  /// A setter of a model, entity, property or index was called after a coordinator or an object used the
  /// model.
  package static func immutableModel() -> Never {
    fatalError("Can't modify an immutable model.")
  }

  /// A model lost an entity or a property while it was being frozen for its first use.
  static func modelChanged(_ entity: String, _ property: String?) -> Never {
    let what = property.map { "the property \"\($0)\" of the entity" } ?? "the entity"
    fatalError(
      "The managed object model was changed during its first use: \(what) "
        + "\"\(entity)\" is missing. Build the whole model, on one thread, before you use it."
    )
  }

  /// The program read the entity of a property that belongs to no entity, or whose entity has been released.
  package static func propertyHasNoEntity(_ name: String) -> Never {
    let property = name.isEmpty ? "A property without a name" : "The property \"\(name)\""
    fatalError(
      "\(property) does not belong to an entity, or its entity has been released. Add it to an "
        + "entity's properties, and keep a reference to the entity or its model."
    )
  }

  /// The program read the model of an entity that belongs to no model, or whose model has been released.
  package static func entityHasNoModel(_ name: String?) -> Never {
    fatalError(
      "\(entity(name)) does not belong to a model, or its model has been released. Add it to a model's "
        + "entities, and keep a reference to the model."
    )
  }

  /// The program added an entity of another model to a configuration.
  package static func entityOutsideModel(_ name: String?, configuration: String) -> Never {
    fatalError(
      "\(entity(name)) cannot be in the configuration \"\(configuration)\": it is not in the model's "
        + "entities. Add it to them first."
    )
  }

  private static func entity(_ name: String?) -> String {
    name.map { "The entity \"\($0)\"" } ?? "An entity without a name"
  }

  /// The program used an entity, or executed a request, in a context that has no coordinator.
  ///
  /// `entityName` is empty if the request concerns no entity; otherwise the text is Apple's.
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

  /// The program named an entity that the model does not have, or inserted an object of such an entity.
  package static func unknownEntity(_ name: String) -> Never {
    fatalError(
      "+entityForName: could not locate an entity named '\(name)' in this model."
    )
  }
}
