// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The managed object classes of the process, found by the names that models give.
///
/// Source: chosen; Linux has no Objective-C runtime that knows every class by name.
public enum ManagedObjectClasses {
  private struct Registry: @unchecked Sendable {
    // Unchecked: metatypes are immutable.
    /// Last component of the class name → classes, in the order they were registered.
    var byName: [String: [NSManagedObject.Type]] = [:]
    var generation = 0
  }
  private static let registry = Mutex(Registry())

  /// Makes a class known by its name; generated code calls it.
  ///
  /// Twice is once.
  public static func register(_ type: NSManagedObject.Type) {
    let name = lastComponent(String(reflecting: type))
    registry.withLock { registry in
      if registry.byName[name, default: []].contains(where: { $0 == type }) { return }
      registry.byName[name, default: []].append(type)
      registry.generation += 1
    }
  }

  /// The name of a class, by which a model made in code names it: `Module.Class`.
  ///
  /// Ours: `NSStringFromClass(_:)` of Foundation on Linux stops the program for private and nested classes.
  /// The class is known from then on, so that an entity with this `managedObjectClassName` finds it.
  public static func name(of type: NSManagedObject.Type) -> String {
    register(type)
    return String(reflecting: type)
  }

  /// The name of a class without its module.
  static func lastComponent(of type: NSManagedObject.Type) -> String {
    lastComponent(String(reflecting: type))
  }

  /// Grows with every class registered.
  package static var generation: Int { registry.withLock { $0.generation } }

  /// The class of that name, with or without module; nil for nil and where none is found.
  ///
  /// A registered class wins; a name without module is then tried in `modules`, in the module of the
  /// program and in those whose resources lie beside it.
  package static func resolve(_ name: String?, modules: [String]) -> NSManagedObject.Type? {
    guard let name, !name.isEmpty else { return nil }
    let parts = name.split(separator: ".")
    guard let last = parts.last.map(String.init) else { return nil }
    let module = parts.count > 1 ? parts.dropLast().joined(separator: ".") : nil
    let registered = registry.withLock { $0.byName[last] ?? [] }
    if let module {
      return registered.first { String(reflecting: $0) == name } ?? type(named: "\(module).\(last)")
    }
    if registered.count == 1 { return registered[0] }
    let candidates = modules + ModelLocator.programModules
    for module in candidates {
      let full = "\(module).\(last)"
      if let type = registered.first(where: { String(reflecting: $0) == full }) ?? type(named: full)
      {
        return type
      }
    }
    return registered.first
  }

  private static func type(named name: String) -> NSManagedObject.Type? {
    NSClassFromString(name) as? NSManagedObject.Type
  }

  private static func lastComponent(_ name: String) -> String {
    name.split(separator: ".").last.map(String.init) ?? name
  }
}
