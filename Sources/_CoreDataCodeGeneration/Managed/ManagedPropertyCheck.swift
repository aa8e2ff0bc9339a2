// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Compares `@NSManaged` properties with the entities of their class.
struct ManagedPropertyCheck {
  enum Result {
    /// The accessor reads and writes the property; if `slot` is nil, the accessor finds the slot at run time.
    case fits(slot: Int?, warning: String?)
    /// The accessor reads and writes the primitive value of the property with that key.
    case primitive(key: String)
    /// The property does not fit the model, so its accessors stop the program; the text is the warning.
    case mismatch(String)
  }

  /// The type of a property in the source.
  struct Written {
    let shape: ValueShape
    let kinds: AccessorKinds
    let type: ResolvedType

    init(_ shape: ValueShape, _ kinds: AccessorKinds, _ type: ResolvedType) {
      self.shape = shape
      self.kinds = kinds
      self.type = type
    }
  }

  let entries: [ManagedModels.Entry]
  let resolver: TypeResolver

  /// Returns the slot that accessors can contain as a constant.
  ///
  /// Returns nil if several entities have the class, because the slot can be different in each of them.
  private func slot(_ property: PropertyDefinition) -> Int? {
    entries.count == 1 ? property.slot : nil
  }

  private func properties(_ name: String) -> [(ManagedModels.Entry, PropertyDefinition)] {
    entries.compactMap { entry in entry.entity.property(named: name).map { (entry, $0) } }
  }

  // MARK: Relationships

  /// Returns the slot of a to-many relationship, and a warning if the entities of the class have no property
  /// with that name, or if the property is not a to-many relationship.
  func relationship(_ name: String) -> (slot: Int?, warning: String?) {
    if entries.isEmpty { return (nil, nil) }
    guard let (entry, property) = properties(name).first else {
      return (
        nil,
        "the entity \(entries[0].entity.name) has no property “\(name)”, so calling the function stops the "
          + "program; add the relationship to the model, or remove the function"
      )
    }
    if property.isToMany { return (slot(property), nil) }
    return (
      nil,
      "“\(name)” of the entity \(entry.entity.name) is not a to-many relationship, so calling the function "
        + "stops the program; remove the function, or change the model"
    )
  }

  // MARK: Properties

  /// Returns whether and how an accessor can read and write the property in the entities of the class.
  func result(for name: String, _ written: Written) -> Result {
    if let key = primitiveKey(name) { return .primitive(key: key) }
    if entries.isEmpty { return .fits(slot: nil, warning: nil) }
    guard let (entry, property) = properties(name).first else {
      return .fits(
        slot: nil,
        warning:
          "the entity \(entries[0].entity.name) has no property “\(name)”, so reading or setting it stops "
          + "the program; add it to the model, or remove @NSManaged"
      )
    }
    if !AccessorKinds(property).isSubset(of: written.kinds) {
      return mismatch(entry, property)
    }
    if case .set = written.shape, property.relationship?.isOrdered == true {
      return .mismatch(
        "“\(name)” of the entity \(entry.entity.name) is ordered; declare it as NSOrderedSet, not NSSet"
      )
    }
    if case .orderedSet = written.shape, property.relationship?.isOrdered == false {
      return .mismatch(
        "“\(name)” of the entity \(entry.entity.name) is not ordered; declare it as NSSet, not NSOrderedSet"
      )
    }
    return .fits(slot: slot(property), warning: warning(written, entry, property))
  }

  /// Returns the key of a primitive accessor, such as `name` for `primitiveName`; nil for any other accessor.
  ///
  /// `primitiveName` is not a primitive accessor if an entity of the class has a property of that name.
  private func primitiveKey(_ name: String) -> String? {
    let prefix = "primitive"
    guard name.hasPrefix(prefix), let first = name.dropFirst(prefix.count).first, first.isUppercase
    else { return nil }
    if !properties(name).isEmpty { return nil }
    return first.lowercased() + name.dropFirst(prefix.count + 1)
  }

  private func mismatch(
    _ entry: ManagedModels.Entry,
    _ property: PropertyDefinition
  ) -> Result {
    let name = property.name
    let expected = Self.types(of: property, entry.model)
    return .mismatch(
      "the declared type does not match the model: “\(name)” of the entity \(entry.entity.name) is "
        + "\(expected). Reading or setting the property stops the program, as in Apple's framework; declare "
        + "it as \(Self.fittingType(of: property, entry.model)), or change the model"
    )
  }

  /// Returns a warning if Apple's framework does not convert the attribute to the written type, or if the
  /// written type does not fit the relationship's destination; otherwise nil.
  private func warning(
    _ written: Written,
    _ entry: ManagedModels.Entry,
    _ property: PropertyDefinition
  ) -> String? {
    let name = property.name
    switch (property.kind, written.shape) {
    case (.attribute(let attribute), .scalar), (.attribute(let attribute), .integer):
      guard case .nominal(let nominal, _) = written.type.unwrapped, !written.type.isOptional else {
        return nil
      }
      let fitting: [String] =
        switch attribute.type {
        case .integer16: ["Int16"]
        case .integer32: ["Int32"]
        case .integer64: ["Int64", "Int"]
        case .boolean: ["Bool"]
        case .double, .date: ["Double"]
        case .float: ["Float"]
        default: []
        }
      if fitting.isEmpty || fitting.contains(nominal.name) { return nil }
      return "Apple's framework does not convert “\(name)” of the entity \(entry.entity.name) to "
        + "\(nominal.name); write \(fitting[0])"
    case (.relationship, .reference(let type)),
      (.relationship, .members(let type)):
      return destinationWarning(property, type, entry)
    default: return nil
    }
  }

  private func destinationWarning(
    _ property: PropertyDefinition,
    _ written: NominalType,
    _ entry: ManagedModels.Entry
  ) -> String? {
    guard let relationship = property.relationship else { return nil }
    let destination = entry.model.entities[relationship.destination]
    guard let className = TypeNames.className(of: destination), written.name != "NSManagedObject",
      written.name != className, written.declaration?.objectiveCName != className
    else { return nil }
    // The type can be a superclass of the destination's class.
    if resolver.isClass(named: className, below: written) { return nil }
    return
      "the destination of “\(property.name)” of the entity \(entry.entity.name) is \(destination.name), "
      + "whose class is \(className), not \(written.path); declare the property with \(className), or change "
      + "the destination in the model"
  }

  private static func types(of property: PropertyDefinition, _ model: ModelDefinition) -> String {
    let type = fittingType(of: property, model)
    switch property.kind {
    case .attribute(let attribute): return "\(attribute.type.traits.modelFileName) (\(type))"
    case .relationship(let relationship):
      if !relationship.isToMany { return "a to-one relationship (\(type))" }
      return "\(relationship.isOrdered ? "an ordered" : "a") to-many relationship (\(type))"
    case .fetched: return "a fetched property (\(type))"
    }
  }

  /// Returns the type with which Xcode declares the property.
  private static func fittingType(
    of property: PropertyDefinition,
    _ model: ModelDefinition
  ) -> String {
    let types = TypeNames(model: model)
    switch property.kind {
    case .attribute(let attribute): return types.accessor(of: attribute).type
    case .relationship(let relationship):
      if relationship.isToMany { return relationship.isOrdered ? "NSOrderedSet?" : "NSSet?" }
      return types.className(ofEntity: relationship.destination) + "?"
    case .fetched(let fetched): return "[\(types.className(ofEntityNamed: fetched.entityName))]?"
    }
  }
}
