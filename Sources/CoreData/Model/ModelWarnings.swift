// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

#if PostgreSQL
import _CoreDataPostgres
#endif

/// Writes warnings to standard error about classes, value transformers and derived attributes of a model that
/// do not work.
///
/// Each text is written only once per process.
enum ModelWarnings {
  private static let written = Mutex<Set<String>>([])

  /// Warns that an entity's class was not found, in the words of Apple's log.
  static func missingClass(_ name: String, of entity: String) {
    warn(
      "Unable to load class named '\(name)' for entity '\(entity)'.  Class not found, using default "
        + "NSManagedObject instead."
    )
  }

  /// Warns that several modules declare a class with the last component of `name`, and that the model does
  /// not name one of these modules.
  static func ambiguousClass(_ name: String, among classes: [String]) {
    let list = classes.joined(separator: ", ")
    warn(
      name.contains(".")
        ? "The class '\(name)' was not found, but several modules declare a class of this name: \(list). "
          + "\(classes[0]) is used. Correct the module in the model."
        : "Several modules declare the class '\(name)': \(list). \(classes[0]) is used. Set the module of "
          + "the class in the model."
    )
  }

  /// Warns about value transformers that the model's attributes name but the program has not registered.
  ///
  /// The text begins with the words of Apple's log line.
  /// - Complexity: O(properties).
  static func missingTransformers(of model: ModelDefinition) {
    forEachAttribute(of: model) { entity, property, attribute in
      guard let name = attribute.ownTransformerName, Transformable.missing(property) != nil else {
        return
      }
      warn(
        "no NSValueTransformer with class name '\(name)' was found for attribute '\(property.name)' on "
          + "entity '\(entity.name)'. Register one with ValueTransformer.setValueTransformer(_:forName:). "
          + "Until then values cannot be saved, and only stored archives of Foundation's value and "
          + "collection classes can be read."
      )
    }
  }

  /// Returns the derived attributes that a store does not compute; nil for a store that computes no such
  /// attributes.
  private static func uncomputed(
    of store: any RowStore
  ) -> [(name: String, expression: String)]? {
    #if PostgreSQL
    if let store = store as? PostgresStore { return store.uncomputedAttributes }
    #endif
    return (store as? SQLiteStore)?.uncomputedAttributes
  }

  /// Warns about derived attributes that the store does not compute.
  ///
  /// Only SQLite and PostgreSQL stores compute derived attributes.
  /// - Complexity: O(properties).
  static func uncomputedAttributes(of store: any RowStore) {
    if let uncomputed = uncomputed(of: store) {
      var transient: Set<String> = []
      forEachAttribute(of: store.model) { entity, property, _ in
        if property.isTransient { transient.insert("\(entity.name).\(property.name)") }
      }
      for (name, expression) in uncomputed {
        warn(
          "the derived attribute '\(name)' is not computed: "
            + (expression.isEmpty
              ? "it has no expression. Set its derivationExpression."
              : transient.contains(name)
                ? "it is transient, so the store has no value for it. Set its isTransient to false."
                : "its expression '\(expression)' is not supported. Set its derivationExpression to one of the "
                  + "forms that NSDerivedAttributeDescription documents, and use only properties that the "
                  + "form allows.")
        )
      }
    } else {
      forEachAttribute(of: store.model) { entity, property, attribute in
        guard let expression = attribute.derivation else { return }
        warn(
          "the derived attribute '\(entity.name).\(property.name)' ('\(expression)') is not computed in an "
            + "in-memory store and stays nil. Use an SQLite store at /dev/null, which computes derived "
            + "attributes."
        )
      }
    }
  }

  private static func forEachAttribute(
    of model: ModelDefinition,
    _ body: (EntityDefinition, PropertyDefinition, AttributeDefinition) -> Void
  ) {
    for entity in model.entities {
      for property in entity.properties where property.declaringEntity == entity.index {
        if let attribute = property.attribute { body(entity, property, attribute) }
      }
    }
  }

  private static func warn(_ text: String) {
    if written.withLock({ $0.insert(text).inserted }) { Diagnostics.warning(text) }
  }
}
