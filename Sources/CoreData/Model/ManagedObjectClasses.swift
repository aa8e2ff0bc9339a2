// SPDX-License-Identifier: Apache-2.0

/// Finds the managed object classes of the process by the names in models.
///
/// Not in Apple's framework.
///
/// Source: chosen; Linux has no Objective-C runtime with a list of all classes.
public enum ManagedObjectClasses {
  private static let registry = ClassRegistry<NSManagedObject>()

  /// Registers a class under its name.
  ///
  /// Only classes without a plain name, such as private classes and classes nested in other types, need to be
  /// registered. Other classes are found by the records that the compiler emits, also in statically linked
  /// programs and whatever the name of the program's file. Registering a class again has no effect.
  public static func register(_ type: NSManagedObject.Type) { registry.register(type) }

  /// Registers a class, and returns the name by which a model built in code refers to the class, such as
  /// `Module.Class`.
  ///
  /// Not in Apple's framework: on Linux, Foundation's `NSStringFromClass(_:)` stops the program for private
  /// and nested classes. An entity finds the class if its `managedObjectClassName` is this name.
  public static func name(of type: NSManagedObject.Type) -> String {
    register(type)
    return String(reflecting: type)
  }

  static func lastComponent(of type: NSManagedObject.Type) -> String {
    ClassRegistry<NSManagedObject>.lastComponent(String(reflecting: type))
  }

  /// The number of classes that have been registered.
  package static var generation: Int { registry.generation }

  /// Returns the class with that name, with or without module; nil if `name` is nil or the class is not
  /// found.
  ///
  /// If the name has a module that declares the class, the class of this module is returned. Otherwise the
  /// class is searched by the last component of the name: first among the registered classes, if only one has
  /// this name; then in `modules`, in the program's module and in the modules whose resource bundles lie next
  /// to the program; and finally among all registered classes and in all modules that are linked into the
  /// process. If several linked modules declare the class, the first one is used and a warning is written.
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
