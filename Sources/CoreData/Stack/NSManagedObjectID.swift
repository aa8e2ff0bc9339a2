// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Names one object of a store, in every context and on every thread.
///
/// Temporary until the object's first save; the ID that an object gave before stays temporary.
/// Source: documented, “NSManagedObjectID”.
open class NSManagedObjectID: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked: immutable but for the weak reference, which the runtime guards.
  package let key: ObjectKey
  private let identity: UInt64
  private let storeUUID: String?
  private let description_: NSEntityDescription
  /// The number of the store's coordinator, by whose stores the key counts; 0 without one.
  let coordinatorNumber: UInt32

  package init(key: ObjectKey, entity: NSEntityDescription, store: NSPersistentStore?) {
    self.key = key
    description_ = entity
    persistentStore = store
    storeUUID = store?.identifier
    coordinatorNumber = store?.coordinatorNumber ?? 0
    let root = entity.definition?.root ?? key.entity
    identity = key.with(entity: root).raw
  }

  /// An ID of no object, different from every other one; for values that tests need.
  ///
  /// Its entity has no name and no model. Source: inherited from `NSObject` on Apple's systems.
  public override convenience init() {
    self.init(
      key: .temporary(entity: 0, number: TemporaryNumbers.next()),
      entity: NSEntityDescription(),
      store: nil
    )
  }

  /// The ID of a key of `model`, as `objectID` gives it: a temporary one names no store.
  ///
  /// `coordinator` has the store of a permanent key; without one the ID names none.
  package convenience init(
    _ key: ObjectKey,
    _ model: FrozenModel,
    _ coordinator: NSPersistentStoreCoordinator?
  ) {
    self.init(
      key: key,
      entity: model.entities[key.entity],
      store: key.isTemporary ? nil : coordinator?.store(at: key.store)
    )
  }

  /// The entity of the object.
  open var entity: NSEntityDescription { description_ }
  /// The store that holds the object; nil for a temporary ID, and once the store is gone.
  open private(set) weak var persistentStore: NSPersistentStore?
  /// Whether the object has not been saved since the ID was asked for.
  open var isTemporaryID: Bool { key.isTemporary }

  /// `x-coredata://<store UUID>/<Entity>/p<number>`, or `x-coredata:///<Entity>/t<token>`.
  open func uriRepresentation() -> URL {
    let name = description_.name ?? ""
    let escaped = name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? name
    let text =
      key.isTemporary
      ? "x-coredata:///\(escaped)/t\(ObjectIDToken.process)\(key.number)"
      : "x-coredata://\(storeUUID ?? "")/\(escaped)/p\(key.number)"
    guard let url = URL(string: text) else {
      preconditionFailure("an object ID always has a URI; this one does not: \(text)")
    }
    return url
  }

  /// The same object: IDs do not change.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSManagedObjectID else { return false }
    return self === other
      || (identity == other.identity && storeUUID == other.storeUUID
        && (description_ === other.description_ || !key.isTemporary
          || description_ == other.description_))
  }
  open override var hash: Int { identity.hashValue }
  open override var description: String {
    "\(Unmanaged.passUnretained(self).toOpaque()) <\(uriRepresentation().absoluteString)>"
  }
}

/// What makes the URIs of temporary IDs unique beyond the process.
enum ObjectIDToken {
  static let process = UUID().uuidString
}

extension NSManagedObjectID: KeyCarrier {
  package var carriedKey: ObjectKey? { key }
}
