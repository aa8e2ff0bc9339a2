// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// The superclass of the tables that `CoreDataModelPlugin` generates for hand-written classes.
///
/// Not intended to be used directly.
///
/// A table is a class of its own, which is looked up by name, because an extension of the hand-written class
/// cannot override class members.
open class _ManagedAccessors {
  /// The class to which the table belongs.
  open class var _managedClass: NSManagedObject.Type { NSManagedObject.self }
  /// The names of the entity's properties in slot order; nil if accessors of the class do not use slots.
  open class var _slotNames: [String]? { nil }
  /// The kinds of the properties in slot order, as raw values of `AccessorKinds`.
  open class var _slotKinds: [UInt16] { [] }
  /// The names of the class's own `@NSManaged` properties by key path.
  open class var _keyPathNames: [AnyKeyPath: String] { [:] }
}

/// The generated tables of hand-written classes, found by name.
enum ManagedAccessorTables {
  /// Returns the table of a class; nil if none was generated.
  static func table(of type: NSManagedObject.Type) -> _ManagedAccessors.Type? {
    let components = String(reflecting: type).split(separator: ".")
    // The names of private and local types contain parentheses.
    guard components.count > 1, !components.contains(where: { $0.contains("(") }) else {
      return nil
    }
    let name = components.dropFirst().joined(separator: "__")
    let found =
      NSClassFromString("\(components[0])._CoreDataAccessors_\(name)") as? _ManagedAccessors.Type
    return found?._managedClass == type ? found : nil
  }

  /// Returns whether the accessors of a class and its superclasses can use slots with objects of an entity.
  ///
  /// An object of a subentity has the properties of the class first, in the same order.
  static func areSlotsValid(of type: NSManagedObject.Type, for entity: EntityDefinition) -> Bool {
    let names = type._slotNames
    if !agree(names, [], entity) { return false }
    if !names.isEmpty, table(of: type) == nil,
      superclasses(of: type).allSatisfy({ table(of: $0) == nil })
    {
      return true
    }
    guard !names.isEmpty || table(of: type) != nil else { return false }
    return ([type] + superclasses(of: type)).allSatisfy { type in
      guard let table = table(of: type) else { return true }
      guard let names = table._slotNames else { return false }
      return agree(names, table._slotKinds, entity)
    }
  }

  private static func agree(
    _ names: [String],
    _ kinds: [UInt16],
    _ entity: EntityDefinition
  ) -> Bool {
    names.count <= entity.properties.count
      && zip(names, entity.properties).allSatisfy { $0 == $1.name }
      && zip(kinds, entity.properties).allSatisfy { $0 == AccessorKinds($1).rawValue }
  }

  static func keyPathNames(of type: NSManagedObject.Type) -> [AnyKeyPath: String] {
    ([type] + superclasses(of: type)).reduce(into: [:]) { names, type in
      guard let table = table(of: type) else { return }
      names.merge(table._keyPathNames) { own, _ in own }
    }
  }

  /// Returns the class with the given `@objc` name; nil if no such class is found.
  ///
  /// A nested class is found by the last component of its Swift name.
  static func managedClass(named name: String, _ modules: [String]) -> NSManagedObject.Type? {
    guard let last = name.split(separator: ".").last else { return nil }
    let className = "_CoreDataClass_\(last)"
    let all = modules + ModelLocator.programModules + LinkedClasses.modules(ofClass: className)
    for module in all {
      let found = NSClassFromString("\(module).\(className)") as? _ManagedAccessors.Type
      if let found { return found._managedClass }
    }
    return nil
  }

  /// Returns the superclasses of a class below `NSManagedObject`, the nearest first.
  private static func superclasses(of type: NSManagedObject.Type) -> [NSManagedObject.Type] {
    var found: [NSManagedObject.Type] = []
    var next: AnyClass? = _getSuperclass(type)
    while let current = next as? NSManagedObject.Type, current != NSManagedObject.self {
      found.append(current)
      next = _getSuperclass(current)
    }
    return found
  }
}
