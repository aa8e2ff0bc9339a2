// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Finds the classes of migration policies by the names in mapping models.
///
/// Not in Apple's framework.
///
/// Private classes and classes nested in other types must be registered; other classes are found in the
/// metadata that the compiler emits. If a name begins with a module that does not declare the class, such as
/// the name of an Xcode target, the module is ignored.
///
/// Source: this library's choice; Linux has no Objective-C runtime with a list of all classes.
public enum MigrationPolicyClasses {
  private static let registry = ClassRegistry<NSEntityMigrationPolicy>()

  /// Registers a class under its name; registering a class again has no effect.
  public static func register(_ type: NSEntityMigrationPolicy.Type) { registry.register(type) }

  /// Registers a class, and returns the name by which a mapping refers to the class.
  ///
  /// ```swift
  /// mapping.entityMigrationPolicyClassName = MigrationPolicyClasses.name(of: NotePolicy.self)
  /// ```
  public static func name(of type: NSEntityMigrationPolicy.Type) -> String {
    register(type)
    return String(reflecting: type)
  }

  static func resolve(_ name: String) -> NSEntityMigrationPolicy.Type? {
    registry.resolve(name, modules: [])
  }
}
