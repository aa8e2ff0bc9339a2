// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Finds the classes of migration policies by the names in mapping models.
///
/// Not in Apple's framework.
///
/// Only classes without a plain name, such as private classes and classes nested in other types, need to be
/// registered. Other classes are found by the records that the compiler emits. The module in a name need not
/// exist: Xcode writes the name of the app, which is not that of a SwiftPM target.
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

  /// Returns the class with that name, with or without module; nil if it is not found.
  static func resolve(_ name: String) -> NSEntityMigrationPolicy.Type? {
    registry.resolve(name, modules: [])
  }
}
