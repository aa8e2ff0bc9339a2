// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The managed object classes of the process, found by the names that models give.
///
/// Not in Apple's framework.
///
/// Source: chosen; Linux has no Objective-C runtime that knows every class by name.
public enum ManagedObjectClasses {
  // Unchecked: metatypes are immutable.
  private struct Registry: @unchecked Sendable {
    /// Last component of the class name → classes, in the order they were registered.
    var byName: [String: [NSManagedObject.Type]] = [:]
    var generation = 0
  }
  private static let registry = Mutex(Registry())

  /// Makes a class known by its name.
  ///
  /// Classes at a module's top level are found without it: from the records that the compiler leaves of them,
  /// whatever the program's file is called, in programs that are linked statically too. It is for classes
  /// inside other types and in functions. Twice is once.
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
  /// A registered class wins. A name without module, or with one that has no such class, is then tried in
  /// `modules`, in the module of the program and in those whose resources lie beside it, and last in all
  /// modules that are linked into the process.
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
      ModelWarnings.ambiguousClass(last, among: linked.map { String(reflecting: $0) })
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
  /// The class of the entity's objects; `NSManagedObject` where its own is not found.
  package var managedObjectClass: NSManagedObject.Type {
    frozen?.managedObjectClass(at: frozenIndex)
      ?? ManagedObjectClasses.resolve(explicitClassName, modules: [])
      ?? NSManagedObject.self
  }
}
