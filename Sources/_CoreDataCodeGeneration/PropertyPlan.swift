// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The plan of the Swift declaration of one property.
struct PropertyPlan {
  enum Storage {
    /// The property is read and written with these functions of the library.
    case accessors(read: String, write: String)
    /// A fetched property, which is read with `value(forKey:)`.
    case fetched
  }

  let name: SwiftName
  /// The index in `EntityDefinition.properties`.
  let slot: Int
  /// The type in source text, such as `String?`.
  let type: String
  let storage: Storage
  /// The class of a to-many's members; nil for every other property.
  let memberType: String?
  let isOrdered: Bool

  /// Creates the plan of a property; `types` supplies the names of attribute types and destination classes.
  init(_ property: PropertyDefinition, types: TypeNames) {
    name = SwiftName(text: property.name)
    slot = property.slot
    switch property.kind {
    case .attribute(let attribute):
      let accessor = types.accessor(of: attribute)
      type = accessor.type
      storage = .accessors(read: accessor.read, write: accessor.write)
      memberType = nil
      isOrdered = false
    case .relationship(let relationship):
      let destination = types.className(ofEntity: relationship.destination)
      isOrdered = relationship.isOrdered && relationship.isToMany
      memberType = relationship.isToMany ? destination : nil
      if !relationship.isToMany {
        type = "\(destination)?"
        storage = .accessors(read: "_readReference", write: "_writeReference")
      } else if isOrdered {
        type = "NSOrderedSet?"
        storage = .accessors(read: "_readOrderedSet", write: "_writeOrderedSet")
      } else {
        type = "NSSet?"
        storage = .accessors(read: "_readSet", write: "_writeSet")
      }
    case .fetched(let fetched):
      type = "[\(types.className(ofEntityNamed: fetched.entityName))]?"
      storage = .fetched
      memberType = nil
      isOrdered = false
    }
  }
}
