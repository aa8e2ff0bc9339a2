// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The classes that the program has registered for store types.
enum StoreClasses {
  private static let registered = Mutex<[String: NSPersistentStore.Type]>([:])

  /// Returns the class that is registered for a type; nil if no class is registered.
  static func storeClass(for type: String) -> NSPersistentStore.Type? {
    registered.withLock { $0[type] }
  }

  /// The types with a registered class, sorted.
  static var types: [String] { registered.withLock { $0.keys.sorted() } }

  /// Registers the class for the type, or removes the type's class if `storeClass` is nil.
  ///
  /// Stops the program for a class that does not inherit from `NSPersistentStore`.
  static func register(_ storeClass: AnyClass?, for type: String) {
    guard let storeClass else {
      registered.withLock { $0[type] = nil }
      return
    }
    guard let store = storeClass as? NSPersistentStore.Type else {
      Misuse.classIsNoStore(storeClass, type: type)
    }
    registered.withLock { $0[type] = store }
  }

  /// The class of each type: the registered class or, for a built-in type without one, `NSPersistentStore`.
  static var table: [String: NSPersistentStore.Type] {
    let builtIn = StoreKind.allCases.map { ($0.rawValue, NSPersistentStore.self) }
    return Dictionary(uniqueKeysWithValues: builtIn)
      .merging(registered.withLock { $0 }) { _, registered in registered }
  }

  // MARK: Errors

  /// Returns the error for a required method that a class of the program does not override; `failure` is the
  /// description of the error.
  static func notOverridden(_ method: String, _ type: AnyClass, _ failure: String) -> NSError {
    coreDataError(
      NSPersistentStoreUnsupportedRequestTypeError,
      failure,
      "The class \(type) does not override \(method)."
    )
  }

  static func unusable(_ storeClass: AnyClass, type: String) -> NSError {
    coreDataError(
      NSPersistentStoreInvalidTypeError,
      "The store type “\(type)” is not supported.",
      "The class \(storeClass), which is registered for the type, inherits neither from NSIncrementalStore nor "
        + "from NSAtomicStore. Register a subclass of one of these classes."
    )
  }
}

extension NSPersistentStoreCoordinator {
  /// Registers a class of the program, whose instances are the stores of a type.
  ///
  /// Register the class before the first store of the type is added. The class must inherit from
  /// `NSIncrementalStore` or `NSAtomicStore`; a class that does not even inherit from `NSPersistentStore`
  /// stops the program. A class that is registered for the name of a built-in type replaces the built-in
  /// type. If `storeClass` is nil, the class of the type is removed.
  ///
  /// ```swift
  /// NSPersistentStoreCoordinator.registerStoreClass(JSONStore.self, type: .init(rawValue: "JSON"))
  /// ```
  /// Source: documented, “registerStoreClass(_:type:)”.
  public class func registerStoreClass(
    _ storeClass: AnyClass?,
    type: NSPersistentStore.StoreType
  ) {
    StoreClasses.register(storeClass, for: type.rawValue)
  }

  /// Does the same as `registerStoreClass(_:type:)`.
  public class func registerStoreClass(
    _ storeClass: AnyClass?,
    forStoreType storeType: String
  ) {
    StoreClasses.register(storeClass, for: storeType)
  }

  /// The registered classes by store type; the class of a built-in type is `NSPersistentStore`.
  ///
  /// `getValue(_:)` of each value writes the class into a variable of the type `AnyClass`.
  ///
  /// Source: documented, “registeredStoreTypes”. Foundation on Linux has no pointer values, so the Objective-C
  /// type of the values is that of an unsigned number.
  public class var registeredStoreTypes: [String: NSValue] {
    StoreClasses.table.mapValues { type in
      var pointer: AnyClass = type
      return NSValue(bytes: &pointer, objCType: "Q")
    }
  }
}
