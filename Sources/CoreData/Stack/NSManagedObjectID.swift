// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Identifies an object independently of contexts and threads.
///
/// The ID of a new object is temporary until the object is saved to a store or `obtainPermanentIDs(for:)` is
/// called. The object then gets another ID, which is permanent; the temporary ID itself does not change.
///
/// Source: documented, “NSManagedObjectID”.
open class NSManagedObjectID: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked: the ID is immutable except for the weak reference, which the runtime synchronises.
  package let key: ObjectKey
  private let identity: UInt64
  private let storeUUID: String?
  /// The text that identifies the object in the store; nil if the number in the key identifies the object.
  ///
  /// In a custom store it is the text of the reference object, otherwise the object's number in the file.
  private let reference: String?
  private let description_: NSEntityDescription
  /// The number of the coordinator to whose stores the key refers; 0 without a coordinator.
  let coordinatorNumber: UInt32

  package init(key: ObjectKey, entity: NSEntityDescription, store: NSPersistentStore?) {
    self.key = key
    description_ = entity
    persistentStore = store
    storeUUID = store?.uuid
    coordinatorNumber = store?.coordinatorNumber ?? 0
    reference = store?.reference(of: key)
    let root = entity.definition?.root ?? key.entity
    identity = key.with(entity: root).raw
  }

  /// Creates an ID without an object, for tests that need a value.
  ///
  /// The ID differs from every other ID. The entity of the ID has no name and no model.
  ///
  /// Source: inherited from `NSObject` on Apple's systems.
  public override convenience init() {
    self.init(
      key: .temporary(entity: 0, number: TemporaryNumbers.next()),
      entity: NSEntityDescription(),
      store: nil
    )
  }

  /// Creates the object ID for a key whose entity index refers to `model`.
  ///
  /// The ID has a store if the key is permanent and `coordinator` has the store of the key.
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
  /// The store that contains the object; nil if the ID is temporary, or if the store no longer exists.
  open private(set) weak var persistentStore: NSPersistentStore?
  /// Whether the ID was created before a save or `obtainPermanentIDs(for:)` gave the object a permanent ID.
  open var isTemporaryID: Bool { key.isTemporary }

  /// Returns the URI `x-coredata://<store UUID>/<entity>/p<primary key>` or, for a temporary ID,
  /// `x-coredata:///<entity>/t<token>`.
  ///
  /// In the URI of an object in a custom store, the text of the reference object replaces the primary key.
  open func uriRepresentation() -> URL {
    let name = description_.name ?? ""
    let escaped = name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? name
    let text =
      key.isTemporary
      ? "x-coredata:///\(escaped)/t\(ObjectIDToken.process)\(key.number)"
      : "x-coredata://\(storeUUID ?? "")/\(escaped)/p"
        + (reference.map(ObjectURI.escaped) ?? String(key.number))
    guard let url = URL(string: text) else {
      preconditionFailure("internal error: an object ID has no valid URI: \(text)")
    }
    return url
  }

  /// Returns the ID itself, because IDs are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSManagedObjectID else { return false }
    if self === other { return true }
    guard storeUUID == other.storeUUID, reference == other.reference else { return false }
    // In another coordinator, the object may have a different number, so the number is not compared.
    if reference != nil, coordinatorNumber != other.coordinatorNumber { return hasRoot(of: other) }
    return identity == other.identity
      && (description_ === other.description_ || !key.isTemporary
        || description_ == other.description_)
  }

  private func hasRoot(of other: NSManagedObjectID) -> Bool {
    rootName != nil && rootName == other.rootName
  }

  /// The name of the root entity of the object's entity hierarchy.
  private var rootName: String? {
    var entity = description_
    while let parent = entity.superentity { entity = parent }
    return entity.name
  }

  open override var hash: Int { reference?.hashValue ?? identity.hashValue }
  open override var description: String {
    "\(Unmanaged.passUnretained(self).toOpaque()) <\(uriRepresentation().absoluteString)>"
  }
}

/// The parts of the URI of a permanent ID: `x-coredata://<store>/<entity>/p<object>`.
struct ObjectURI {
  let store: String
  let entity: String
  /// The text after the `p`: a primary key, or the text of a reference object.
  let object: String

  /// Reads the parts of a URI; returns nil if `url` is not the URI of a permanent ID.
  init?(_ url: URL) {
    guard url.scheme == "x-coredata", let store = url.host,
      // The path is split before its parts are decoded, because the text of a reference object may contain a
      // slash.
      let path = URLComponents(url: url, resolvingAgainstBaseURL: false)?.percentEncodedPath
    else { return nil }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map {
      $0.removingPercentEncoding
    }
    guard parts.count == 3, parts[0] == "", let entity = parts[1],
      let object = parts[2], object.first == "p"
    else { return nil }
    self.store = store
    self.entity = entity
    self.object = String(object.dropFirst())
  }

  /// Returns the text, percent-encoded as a single path component.
  static func escaped(_ text: String) -> String {
    var allowed = CharacterSet.urlPathAllowed
    allowed.remove("/")
    return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? text
  }
}

/// A random token that makes the URIs of temporary IDs unique across processes.
enum ObjectIDToken {
  static let process = UUID().uuidString
}

extension NSManagedObjectID: KeyCarrier {
  package var carriedKey: ObjectKey? { key }
}
