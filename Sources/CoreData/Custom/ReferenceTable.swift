// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataModel

/// The reference objects of a custom store, and the numbers that stand for them in keys.
///
/// A number is assigned when a reference object is first used, and is valid as long as the store is open. In
/// one entity hierarchy, reference objects with the same text have the same number.
///
/// Memory: about 200 bytes for each reference object.
final class ReferenceTable: Sendable {
  // Unchecked: the reference objects are values or immutable objects, and the lock guards the tables.
  private struct Hierarchy: @unchecked Sendable {
    /// The numbers of the reference objects, by their texts.
    var numbers: [String: Int64] = [:]
    /// The reference objects by number, starting with 1, with their texts.
    var references: [(object: Any, text: String)] = []
    /// Whether the last reference object that the program passed is a number; nil before the first one.
    var usesNumbers: Bool?
  }
  private let store: Int
  private let model: ModelDefinition
  private let hierarchies = Mutex<[Int: Hierarchy]>([:])

  init(store: Int, model: ModelDefinition) {
    self.store = store
    self.model = model
  }

  /// Returns the key of the object of `entity` that `reference` identifies.
  ///
  /// Returns nil if all numbers of the entity hierarchy are assigned.
  func key(of entity: EntityDefinition, reference: Any) -> ObjectKey? {
    let text = ReferenceText.text(of: reference)
    return key(of: entity, text) { hierarchy in
      hierarchy.usesNumbers = reference is any BinaryInteger || reference is NSNumber
      // A reference object that was created from a URI may differ in type from the store's own, so it is
      // replaced.
      if let number = hierarchy.numbers[text] {
        hierarchy.references[Int(number) - 1].object = reference
      }
      return reference
    }
  }

  /// Returns the key of the object of `entity` whose reference object is represented by `text` in a URI.
  func key(of entity: EntityDefinition, text: String) -> ObjectKey? {
    key(of: entity, text) {
      ReferenceText.reference(from: text, usesNumbers: $0.usesNumbers)
    }
  }

  private func key(
    of entity: EntityDefinition,
    _ text: String,
    _ reference: (inout Hierarchy) -> Any
  ) -> ObjectKey? {
    let number = hierarchies.withLock { hierarchies in
      var hierarchy = hierarchies.removeValue(forKey: entity.root) ?? Hierarchy()
      defer { hierarchies[entity.root] = hierarchy }
      let object = reference(&hierarchy)
      if let known = hierarchy.numbers[text] { return known }
      hierarchy.references.append((object, text))
      let number = Int64(hierarchy.references.count)
      hierarchy.numbers[text] = number
      return number
    }
    return ObjectKey(store: store, entity: entity.index, number: number)
  }

  /// The greatest number assigned to a reference object in each hierarchy, by the index of the root entity.
  var lastNumbers: [Int: Int64] {
    hierarchies.withLock { $0.mapValues { Int64($0.references.count) } }
  }

  /// Returns the reference object of a key; nil if the store has not assigned the key.
  func reference(of key: ObjectKey) -> Any? { entry(key)?.object }

  /// Returns the text of the reference object of a key; nil if the store has not assigned the key.
  func text(of key: ObjectKey) -> String? { entry(key)?.text }

  private func entry(_ key: ObjectKey) -> (object: Any, text: String)? {
    guard !key.isTemporary, key.store == store, key.number > 0 else { return nil }
    // Unsafe: reference objects are values or immutable objects.
    nonisolated(unsafe) var found: (object: Any, text: String)?
    hierarchies.withLock { hierarchies in
      let references = hierarchies[model.entities[key.entity].root]?.references
      guard let references, key.number <= Int64(references.count) else { return }
      found = references[Int(key.number) - 1]
    }
    return found
  }
}
