// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The superclass of the classes that `CoreDataModelPlugin` generates to find value transformers and
/// migration policies by their names in models.
///
/// Each generated class stands for a nested class, or for a class with a different name in `@objc(…)`. Not
/// intended to be used directly.
open class _NamedClass {
  /// The class of the value transformer or migration policy.
  open class var _class: AnyClass { NSNull.self }
}

/// Finds classes by name through the generated subclasses of `_NamedClass`.
enum NamedClasses {
  /// Returns the class whose name in `@objc(…)` is `name`, or the nested class whose Swift name has `name` as
  /// its last component.
  ///
  /// Returns nil if no subclass of `_NamedClass` was generated for the name.
  static func type(named name: String, _ modules: [String]) -> AnyClass? {
    let className = "_CoreDataNamed_\(name)"
    let all = modules + ModelLocator.programModules + LinkedClasses.modules(ofClass: className)
    for module in all {
      if let found = NSClassFromString("\(module).\(className)") as? _NamedClass.Type {
        return found._class
      }
    }
    return nil
  }
}
