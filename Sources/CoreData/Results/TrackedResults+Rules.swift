// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// What the list asks of its objects.
extension TrackedResults {
  func rules(_ description: FetchDescription) -> ResultsRules {
    let entity = context.registry.model.entities[description.entity]
    let realize = { (object: GraphObject) in Self.managed(object).realize() }
    let value = { (object: GraphObject, path: String) in Self.value(Self.managed(object), path) }
    let order = ObjectOrder(description.order, entity: entity, realize: realize, value: value)
    var rules = ResultsRules(
      matches: scope(description, entity),
      compare: { order.compare(Self.managed($0), Self.managed($1)) }
    )
    if let lead = order.lead(sectionedBy: sectionNameKeyPath) {
      rules.lead = { lead(Self.managed($0)) }
    }
    if let sectionNameKeyPath {
      let names = SectionNames(
        sectionNameKeyPath,
        entity: entity,
        realize: realize,
        value: value
      )
      rules.sectionName = { names.name(of: Self.managed($0)) }
    }
    return rules
  }

  private func scope(
    _ description: FetchDescription,
    _ entity: EntityDefinition
  ) -> (AnyObject) -> Bool {
    let entities =
      description.includesSubentities ? entity.family : entity.index..<entity.index + 1
    let condition = description.condition.map(PreparedCondition.init)
    return { object in
      let object = Self.managed(object)
      guard entities.contains(object.key.entity), object.isManaged,
        object.flags.isDisjoint(with: [.deleted, .inaccessible]), Self.hasRow(object)
      else { return false }
      guard let condition else { return true }
      do {
        return try condition.holds(for: .object(object))
      } catch {
        Misuse.failedEvaluation("\(error)")
      }
    }
  }

  /// False for a fault whose row is gone from the store.
  private static func hasRow(_ object: NSManagedObject) -> Bool {
    if object.chunk != nil { return true }
    // Where the store cannot be read, the first value that is asked for says why.
    return (try? object.context?.graph.tryRealize(object)) ?? true
  }

  /// The value at a key path; what the model does not know is asked by key-value coding.
  private static func value(_ object: NSManagedObject, _ path: String) -> Value {
    if let property = object.property(path) {
      // A transient may be computed by the class.
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
