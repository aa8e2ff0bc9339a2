// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

extension ResultsRules {
  /// Creates the rules for the list of a fetch; the rules read the current values of objects.
  ///
  /// `entity` is the entity of the description, and `shownEntities` contains the indexes of the entities
  /// whose objects the list may contain.
  init(
    for description: FetchDescription,
    of entity: EntityDefinition,
    shownEntities: Range<Int>,
    sectionNameKeyPath: String?
  ) {
    typealias Content = ResultsContent
    let realize = { (object: GraphObject) in Content.managedObject(object).realize() }
    let value = { (object: GraphObject, path: String) in
      Self.value(Content.managedObject(object), path)
    }
    let order = ObjectOrder(description.order, entity: entity, realize: realize, value: value)
    self.init(
      matches: Self.match(description, shownEntities),
      compare: { order.compare(Content.managedObject($0), Content.managedObject($1)) }
    )
    if let lead = order.lead(sectionedBy: sectionNameKeyPath) {
      self.sortPrefix = { lead(Content.managedObject($0)) }
    }
    if let sectionNameKeyPath {
      let names = SectionNames(
        sectionNameKeyPath,
        entity: entity,
        realize: realize,
        value: value
      )
      sectionName = { names.name(of: Content.managedObject($0)) }
    }
  }

  /// Returns a function that checks whether an object is of one of the entities, exists, and matches the
  /// predicate.
  private static func match(
    _ description: FetchDescription,
    _ entities: Range<Int>
  ) -> (AnyObject) -> Bool {
    let condition = description.condition.map(PreparedCondition.init)
    return { row in
      let object = ResultsContent.managedObject(row)
      guard entities.contains(object.key.entity), object.isManaged,
        object.flags.isDisjoint(with: [.deleted, .inaccessible]), hasRow(object)
      else { return false }
      guard let condition else { return true }
      do {
        return try condition.holds(for: .object(object))
      } catch let error as UnknownKey {
        Misuse.undefinedKey(error)
      } catch {
        Misuse.failedEvaluation("\(error)")
      }
    }
  }

  /// Whether the object has a row; false only for a fault whose row was deleted from the store.
  private static func hasRow(_ object: NSManagedObject) -> Bool {
    if object.chunk != nil { return true }
    // The error is dropped: if the store cannot be read, reading the first value stops the program with the
    // reason.
    return (try? object.context?.graph.tryRealize(object)) ?? true
  }

  /// Returns the value at a key path; keys that are not in the model are read by key-value coding.
  private static func value(_ object: NSManagedObject, _ path: String) -> Value {
    if let property = object.property(path) {
      // The class may compute a transient property, so the value is read through the class.
      guard property.isTransient else { return object.keyedValue(of: property) }
      if let compute = type(of: object).computedProperties[path] {
        return Value(any: compute(object))
      }
      return Value(any: object.value(forKey: path))
    }
    do {
      return try Value.object(object).value(forKeyPath: path)
    } catch {
      return Value(any: object.value(forKeyPath: path))
    }
  }
}
