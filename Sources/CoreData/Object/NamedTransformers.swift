// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Finds value transformers by the names in models, among the registered transformers and the classes of the
/// program.
enum NamedTransformers {
  private static let registry = Mutex<[NSValueTransformerName: Transfer<ValueTransformer>]>([:])
  private static let classes = ClassRegistry<ValueTransformer>()

  static func set(_ transformer: ValueTransformer?, _ name: NSValueTransformerName) {
    // A registered transformer may be called on any thread; the program must make it thread-safe.
    let transformer = transformer.map { Transfer($0) }
    registry.withLock { $0[name] = transformer }
  }

  static var names: [NSValueTransformerName] { registry.withLock { Array($0.keys) } }

  /// Returns the transformer that is registered under the name.
  ///
  /// If there is no such transformer, creates, registers and returns a transformer of the class with this
  /// name. Returns nil if there is no such class. Does not search for a class if Apple's framework uses the
  /// name for an archive transformer.
  ///
  /// Source: documented, “valueTransformerForName:”.
  static func transformer(_ name: NSValueTransformerName) -> ValueTransformer? {
    if let known = registry.withLock({ $0[name]?.value }) { return known }
    if archiveNames.contains(name.rawValue) { return nil }
    guard let type = classes.resolve(name.rawValue, modules: []) else { return nil }
    let made = Transfer(type.create())
    return registry.withLock { table in
      // Another thread may have registered a transformer in the meantime.
      if let known = table[name] { return known.value }
      table[name] = made
      return made.value
    }
  }

  /// Returns the predefined transformer with the name, which needs no registration; nil for any other name.
  ///
  /// Stores do not call the predefined archive transformer. They convert values with `SecureArchive`, which
  /// gives the same results.
  static func standard(_ name: NSValueTransformerName) -> ValueTransformer? {
    if name == .secureUnarchiveFromDataTransformerName {
      return archiver.value
    }
    return TruthTransformer.standard(name)
  }

  private static let archiver = Transfer<ValueTransformer>(NSSecureUnarchiveFromDataTransformer())

  /// The names by which models refer to Apple's archive transformers.
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

  // Unsafe: declares the allocating initialiser `init(ofNamedClass:)` as a class method, because an
  // allocating initialiser has the calling convention of a class method. If the class is known only at run
  // time, Swift code can call only a required initialiser, which each subclass with another designated
  // initialiser would have to implement.
  @_silgen_name("coredata_ValueTransformer_ofNamedClass")
  private static func allocate(_ ofNamedClass: Void) -> ValueTransformer
}
