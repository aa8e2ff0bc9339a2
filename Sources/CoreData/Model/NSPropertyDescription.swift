// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// What attributes, relationships and fetched properties of an entity have in common.
///
/// Mutable until a coordinator uses the model; a later change stops the program.
/// Source: documented, “NSPropertyDescription”.
open class NSPropertyDescription: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked: changed only before a coordinator uses the model, read-only from then on.

  /// The property's name, unique in its entity and the entities above it; empty at first.
  open var name: String = "" { willSet { willChange() } }
  /// Whether the property may be nil or empty when its object is saved; true at first.
  open var isOptional = true { willSet { willChange() } }
  /// Whether the property is left out of the store; false at first.
  open var isTransient = false { willSet { willChange() } }
  /// The application's own notes; nil at first.
  ///
  /// Changes nothing about a store.
  open var userInfo: [AnyHashable: Any]? { willSet { willChange() } }
  /// A text that enters the version hash, to force another one; nil at first.
  open var versionHashModifier: String? { willSet { willChange() } }
  /// Whether the property is meant for Spotlight; kept, but without effect here.
  open var isIndexedBySpotlight = false { willSet { willChange() } }
  private var storedRenamingIdentifier: String?
  private var storedPredicates: [NSPredicate] = []
  private var storedWarnings: [Any] = []
  private let reference = BackReference<NSPropertyDescription>()
  package var owner: BackReference<NSEntityDescription>?

  /// A property without a name.
  public required override init() {
    super.init()
    reference.set(self)
  }

  deinit { reference.clear() }

  /// The entity that declares the property; a property outside an entity stops the program.
  open var entity: NSEntityDescription {
    guard let entity = owner?.target else { Misuse.propertyHasNoEntity(name) }
    return entity
  }

  /// The name that pairs the property with its predecessor in a migration; the name where none was set.
  open var renamingIdentifier: String? {
    get { storedRenamingIdentifier ?? (name.isEmpty ? nil : name) }
    set {
      willChange()
      storedRenamingIdentifier = newValue
    }
  }

  /// The predicates a value must meet, in their order; empty at first.
  ///
  /// Bounds that a model file gives are not in it; see `NSAttributeDescription`.
  open var validationPredicates: [NSPredicate] { storedPredicates }
  /// For each predicate the text that explains its failure.
  open var validationWarnings: [Any] { storedWarnings }

  /// Sets the predicates and their explanations; nil empties both.
  open func setValidationPredicates(
    _ validationPredicates: [NSPredicate]?,
    withValidationWarnings validationWarnings: [String]?
  ) {
    willChange()
    storedPredicates = validationPredicates ?? []
    storedWarnings = validationWarnings ?? []
  }

  /// 32 bytes that differ where the property differs in what a store keeps; empty outside an entity.
  ///
  /// Source: observed, `docs/reference/version-hash.md`.
  open var versionHash: Data { propertyVersionHash() }

  /// A copy that belongs to no entity.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = Self()
    copy.take(self)
    return copy
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSPropertyDescription else { return false }
    return self === other || hasSameContent(as: other)
  }
  open override var hash: Int { name.hashValue }
  open override var description: String {
    "(<\(Self.self)>), name \(name), isOptional \(isOptional ? 1 : 0), "
      + "isTransient \(isTransient ? 1 : 0), entity \(owner?.target?.name ?? "(null)"), "
      + "renamingIdentifier \(renamingIdentifier ?? "(null)"), "
      + "versionHashModifier \(versionHashModifier ?? "(null)")"
  }

  /// What neighbours keep instead of the property itself.
  package var backReference: BackReference<NSPropertyDescription> { reference }
  package var explicitRenamingIdentifier: String? { storedRenamingIdentifier }

  /// Stops the program where the model is in use.
  package func willChange() {
    owner?.target?.willChange()
    ModelEdits.add()
  }

  /// Takes over everything but the place in a model; subclasses add their own.
  package func take(_ other: NSPropertyDescription) {
    name = other.name
    isOptional = other.isOptional
    isTransient = other.isTransient
    userInfo = other.userInfo
    versionHashModifier = other.versionHashModifier
    isIndexedBySpotlight = other.isIndexedBySpotlight
    storedRenamingIdentifier = other.storedRenamingIdentifier
    storedPredicates = other.storedPredicates
    storedWarnings = other.storedWarnings
  }

  /// Whether everything but the place in a model agrees; subclasses add their own.
  package func hasSameContent(as other: NSPropertyDescription) -> Bool {
    type(of: self) == type(of: other) && name == other.name && isOptional == other.isOptional
      && isTransient == other.isTransient && versionHashModifier == other.versionHashModifier
      && renamingIdentifier == other.renamingIdentifier
      && storedPredicates == other.storedPredicates
      && textInfo(userInfo) == textInfo(other.userInfo)
  }
}

/// The texts of a `userInfo`, which are all that a model file can hold.
func textInfo(_ info: [AnyHashable: Any]?) -> [String: String] {
  var texts: [String: String] = [:]
  for (key, value) in info ?? [:] {
    if let key = key as? String, let value = value as? String { texts[key] = value }
  }
  return texts
}
