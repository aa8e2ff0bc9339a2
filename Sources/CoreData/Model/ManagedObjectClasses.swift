// SPDX-License-Identifier: Apache-2.0

/// Finds the managed object classes of the process by the names in models.
///
/// Not in Apple's framework.
///
/// Source: this library's choice; Linux has no Objective-C runtime with a list of all classes.
public enum ManagedObjectClasses {
  private static let registry = ClassRegistry<NSManagedObject>()

  /// Registers a class under its name.
  ///
  /// Only classes without a plain name, such as private classes and classes nested in other types, need to be
  /// registered. Other classes are found through records that the compiler emits, even if the program is
  /// linked statically or its file is renamed. Registering a class again has no effect.
  public static func register(_ type: NSManagedObject.Type) { registry.register(type) }

  /// Registers a class, and returns the name by which a model built in code refers to the class, such as
  /// `Module.Class`.
  ///
  /// Not in Apple's framework: on Linux, Foundation's `NSStringFromClass(_:)` stops the program for private
  /// and nested classes. Assign this name to the `managedObjectClassName` of an entity.
  public static func name(of type: NSManagedObject.Type) -> String {
    register(type)
    return String(reflecting: type)
  }

  static func lastComponent(of type: NSManagedObject.Type) -> String {
    ClassRegistry<NSManagedObject>.lastComponent(String(reflecting: type))
  }

  /// The number of registered classes; if it has changed, cached lookups are out of date.
  package static var generation: Int { registry.generation }

  /// Returns the class with the given name, with or without a module prefix; nil if `name` is nil or the
  /// class is not found.
  ///
  /// `ClassRegistry.resolve(_:modules:)` describes the order of the search. A class that is not found there
  /// is looked up with `ManagedAccessorTables.managedClass(named:_:)`.
  package static func resolve(_ name: String?, modules: [String]) -> NSManagedObject.Type? {
    name.flatMap {
      registry.resolve($0, modules: modules)
        ?? ManagedAccessorTables.managedClass(named: $0, modules)
    }
  }
}

extension NSEntityDescription {
  /// The class of the entity's objects; `NSManagedObject` if the entity's own class is not found.
  package var managedObjectClass: NSManagedObject.Type {
    frozen?.managedObjectClass(at: frozenIndex)
      ?? ManagedObjectClasses.resolve(explicitClassName, modules: [])
      ?? NSManagedObject.self
  }
}
