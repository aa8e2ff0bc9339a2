// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Finds the managed object classes of the process by the names in models.
///
/// Not in Apple's framework.
///
/// Source: chosen; Linux has no Objective-C runtime with a list of all classes.
public enum ManagedObjectClasses {
  // Unchecked: metatypes are immutable.
  private struct Registry: @unchecked Sendable {
    /// The classes by the last component of their name, in the order of registration.
    var byName: [String: [NSManagedObject.Type]] = [:]
    var generation = 0
  }
  private static let registry = Mutex(Registry())

  /// Registers a class under its name.
  ///
  /// Only classes without a plain name, such as private classes and classes nested in other types, need to be
  /// registered. Registering a class again has no effect.
  public static func register(_ type: NSManagedObject.Type) {
    let name = lastComponent(String(reflecting: type))
    registry.withLock { registry in
      if registry.byName[name, default: []].contains(where: { $0 == type }) { return }
      registry.byName[name, default: []].append(type)
      registry.generation += 1
    }
  }

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
    lastComponent(String(reflecting: type))
  }

  /// The number of classes that have been registered.
  package static var generation: Int { registry.withLock { $0.generation } }

  /// Returns the class with that name, with or without module; nil if `name` is nil or the class is not
  /// found.
  ///
  /// If the name has a module that declares the class, the class of this module is returned. Otherwise the
  /// class is searched by the last component of the name: first among the registered classes, if only one has
  /// this name; then in `modules`, in the program's module and in the modules whose resource bundles lie next
  /// to the program; and finally among all registered classes and in all modules that are linked into the
  /// process. If several linked modules declare the class, the first one is used and a warning is written.
  package static func resolve(_ name: String?, modules: [String]) -> NSManagedObject.Type? {
    guard let name, !name.isEmpty else { return nil }
    let parts = name.split(separator: ".")
    guard let last = parts.last.map(String.init) else { return nil }
    let registered = registry.withLock { $0.byName[last] ?? [] }
    func found(_ module: String) -> NSManagedObject.Type? {
      let full = "\(module).\(last)"
      return registered.first { String(reflecting: $0) == full } ?? type(named: full)
    }
    if parts.count > 1 {
      let module = parts.dropLast().joined(separator: ".")
      if let type = found(module) { return type }
    }
    if registered.count == 1 { return registered[0] }
    for module in modules + ModelLocator.programModules {
      if let type = found(module) { return type }
    }
    if let type = registered.first { return type }
    let linked = LinkedClasses.modules(ofClass: last).compactMap { type(named: "\($0).\(last)") }
    if linked.count > 1 {
      ModelWarnings.ambiguousClass(name, among: linked.map { String(reflecting: $0) })
    }
    return linked.first
  }

  private static func type(named name: String) -> NSManagedObject.Type? {
    NSClassFromString(name) as? NSManagedObject.Type
  }

  private static func lastComponent(_ name: String) -> String {
    name.split(separator: ".").last.map(String.init) ?? name
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
