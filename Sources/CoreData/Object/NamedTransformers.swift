// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Finds value transformers by the names in models: those that the program has registered, and classes.
enum NamedTransformers {
  private static let registry = Mutex<[NSValueTransformerName: Transfer<ValueTransformer>]>([:])
  private static let classes = ClassRegistry<ValueTransformer>()

  static func set(_ transformer: ValueTransformer?, _ name: NSValueTransformerName) {
    // From now on the transformer may be called on any thread; the program is responsible for its thread
    // safety.
    let transformer = transformer.map { Transfer($0) }
    registry.withLock { $0[name] = transformer }
  }

  static var names: [NSValueTransformerName] { registry.withLock { Array($0.keys) } }

  /// Returns the registered transformer or, for a name that is not registered, a new transformer of the class
  /// with this name, which is registered.
  ///
  /// Returns nil for the names of Apple's transformers for archives, unless the program has registered them,
  /// and if there is no such class.
  ///
  /// Source: documented, “valueTransformerForName:”.
  static func transformer(_ name: NSValueTransformerName) -> ValueTransformer? {
    if let known = registry.withLock({ $0[name]?.value }) { return known }
    if archiveNames.contains(name.rawValue) { return nil }
    guard let type = classes.resolve(name.rawValue, modules: []) else { return nil }
    let made = Transfer(type.create())
    return registry.withLock { table in
      // Another thread may have registered a transformer since.
      if let known = table[name] { return known.value }
      table[name] = made
      return made.value
    }
  }

  /// Returns a transformer of Foundation that needs no registration; nil for other names.
  ///
  /// The transformers for archives are not those with which stores convert values (`SecureArchive`), but do the
  /// same.
  static func standard(_ name: NSValueTransformerName) -> ValueTransformer? {
    if name == .secureUnarchiveFromDataTransformerName {
      return archiver.value
    }
    return TruthTransformer.standard(name)
  }

  private static let archiver = Transfer<ValueTransformer>(NSSecureUnarchiveFromDataTransformer())

  /// The names of transformers for archives that models contain.
  private static let archiveNames: Set = [
    NSValueTransformerName.secureUnarchiveFromDataTransformerName.rawValue,
    "NSKeyedUnarchiveFromData", "NSUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer",
  ]
}

extension ValueTransformer {
  /// Creates a transformer of this class with `init()`.
  ///
  /// Stops the program if the class does not have `init()`, as Swift does on Apple's systems.
  fileprivate static func create() -> ValueTransformer { allocate(()) }

  // Unsafe: declares the allocating initialiser `init(ofNamedClass:)` as a class method, which it is in the
  // calling convention. Swift calls an initialiser of a class that is known only while the program runs only if
  // it is required, but then each subclass with an initialiser of its own would have to declare it.
  @_silgen_name("$s8CoreData16ValueTransformerC12ofNamedClassACyt_tcfC")
  private static func allocate(_ ofNamedClass: Void) -> ValueTransformer
}
