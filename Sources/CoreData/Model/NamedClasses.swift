// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The superclass of the classes that `CoreDataModelPlugin` generates for value transformers and migration
/// policies that models refer to by another name than their top-level Swift name.
///
/// Not intended to be used directly.
open class _NamedClass {
  /// The class to which the name refers.
  open class var _class: AnyClass { NSNull.self }
}

/// The generated subclasses of `_NamedClass`, found by name.
enum NamedClasses {
  /// Returns the class with this name in `@objc(…)` or, for a nested class, with this last component of its Swift
  /// name; nil if no such class was generated.
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
