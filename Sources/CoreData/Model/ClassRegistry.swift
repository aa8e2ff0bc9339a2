// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Finds the subclasses of `Base` by name, whether or not they are registered.
final class ClassRegistry<Base: AnyObject>: Sendable {
  // Unchecked: metatypes are immutable.
  private struct State: @unchecked Sendable {
    /// The classes by the last component of their name, in the order of registration.
    var byName: [String: [Base.Type]] = [:]
    var generation = 0
  }
  private let state = Mutex(State())

  /// The number of registered classes; if it has changed, cached lookups are out of date.
  var generation: Int { state.withLock { $0.generation } }

  /// Registers a class under its name; registering a class again has no effect.
  func register(_ type: Base.Type) {
    let name = Self.lastComponent(String(reflecting: type))
    state.withLock { state in
      if state.byName[name, default: []].contains(where: { $0 == type }) { return }
      state.byName[name, default: []].append(type)
      state.generation += 1
    }
  }

  /// Returns the class with the given name, with or without a module prefix; nil if the class is not found.
  ///
  /// If the module in the name declares the class, returns that class. Otherwise uses only the last component
  /// of the name, and returns the first class found in this order:
  /// - the registered class with this name, if there is exactly one;
  /// - a class in `modules`, the program's module, or a module whose resource bundle is next to the program;
  /// - the class with this name that was registered first;
  /// - a class in any module that is linked into the process; if several of these modules declare the class,
  ///   writes a warning;
  /// - the class that `NamedClasses` finds for this name through a generated class.
  func resolve(_ name: String, modules: [String]) -> Base.Type? {
    let parts = name.split(separator: ".")
    guard let last = parts.last.map(String.init) else { return nil }
    let registered = state.withLock { $0.byName[last] ?? [] }
    func found(_ module: String) -> Base.Type? {
      let full = "\(module).\(last)"
      return registered.first { String(reflecting: $0) == full } ?? Self.type(named: full)
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
    let linked = LinkedClasses.modules(ofClass: last)
      .compactMap { Self.type(named: "\($0).\(last)") }
    if linked.count > 1 {
      ModelWarnings.ambiguousClass(name, among: linked.map { String(reflecting: $0) })
    }
    return linked.first ?? NamedClasses.type(named: last, modules) as? Base.Type
  }

  private static func type(named name: String) -> Base.Type? {
    NSClassFromString(name) as? Base.Type
  }

  static func lastComponent(_ name: String) -> String {
    name.split(separator: ".").last.map(String.init) ?? name
  }
}
