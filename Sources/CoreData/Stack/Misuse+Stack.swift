// SPDX-License-Identifier: Apache-2.0

extension Misuse {
  static func storeClassHasNoRows(_ store: NSPersistentStore) -> Never {
    fatalError(
      "A store of the class \(type(of: store)) cannot be used, because the class inherits neither from "
        + "NSIncrementalStore nor from NSAtomicStore. Use a subclass of one of these classes."
    )
  }

  static func classIsNoStore(_ type: AnyClass, type storeType: String) -> Never {
    fatalError(
      "The class \(type) cannot be registered for the store type “\(storeType)”, because it does not inherit "
        + "from NSPersistentStore. Register a subclass of NSIncrementalStore or NSAtomicStore."
    )
  }

  static func builtInStoreIsFixed(_ property: String, _ store: NSPersistentStore) -> Never {
    fatalError(
      "The property \(property) of the store \(store.locationInText) cannot be set, because the store has "
        + "the built-in type \(store.type). "
        + (property == "url"
          ? "Call setURL(_:for:) of the coordinator instead."
          : "Remove the store, and add the store that has the other UUID.")
    )
  }
}
