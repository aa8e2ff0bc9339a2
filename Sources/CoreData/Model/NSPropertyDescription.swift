// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// The common superclass of attributes, relationships, fetched properties and expression descriptions.
///
/// A property is mutable until a coordinator or an object uses the model. A later change stops the program.
///
/// Source: documented, “NSPropertyDescription”.
open class NSPropertyDescription: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked: the property is changed only before the model is first used, and is read-only afterwards.

  /// The property's name, unique in its entity and its superentities; empty by default.
  open var name: String = "" { willSet { willChange() } }
  /// Whether the property may be nil or empty when its object is saved; true by default.
  open var isOptional = true { willSet { willChange() } }
  /// Whether the property is not stored; false by default.
  open var isTransient = false { willSet { willChange() } }
  /// Values for the application's own use, without effect on a store; nil by default.
  open var userInfo: [AnyHashable: Any]? { willSet { willChange() } }
  /// A string that is part of the version hash, for changing the hash deliberately; nil by default.
  open var versionHashModifier: String? { willSet { willChange() } }
  /// Whether the property is indexed by Spotlight; kept in model files, but without effect in this library.
  open var isIndexedBySpotlight = false { willSet { willChange() } }
  /// The value to which `isIndexed` was set; nil if `isIndexed` was not set.
  package var indexMark: Bool? { willSet { willChange() } }
  private var storedRenamingIdentifier: String?
  private var storedPredicates: [NSPredicate] = []
  private var storedWarnings: [Any] = []
  private let reference = BackReference<NSPropertyDescription>()
  package var owner: BackReference<NSEntityDescription>?

  /// Creates a property without a name.
  public override init() {
    super.init()
    reference.set(self)
  }

  /// Creates a description whose class is known only at run time, with the `init()` of that class.
  ///
  /// Not in Apple's framework.
  ///
  /// Copying a description creates the copy with this initialiser. The parameter is not used.
  ///
  /// Source: this library's choice; see `NSManagedObject.init(entity:insertInto:_:)`.
  @_disfavoredOverload
  public required convenience init(_: Void = ()) { self.init() }

  deinit { reference.clear() }

  /// The entity that declares the property; stops the program if the property belongs to no entity, or if the
  /// entity has been released.
  open var entity: NSEntityDescription {
    guard let entity = owner?.target else { Misuse.propertyHasNoEntity(name) }
    return entity
  }

  /// The name that identifies the property's predecessor in a migration; by default, the property's own name,
  /// or nil if that name is empty.
  open var renamingIdentifier: String? {
    get { storedRenamingIdentifier ?? (name.isEmpty ? nil : name) }
    set {
      willChange()
      storedRenamingIdentifier = newValue
    }
  }

  /// The predicates that a value must satisfy, in order; empty by default.
  ///
  /// The minimum, maximum and regular expression in a model file are not included.
  open var validationPredicates: [NSPredicate] { storedPredicates }
  /// The descriptions of failures, by the index of the predicate; empty by default.
  ///
  /// The list may be shorter than `validationPredicates`; a predicate without a description here has a
  /// standard one.
  open var validationWarnings: [Any] { storedWarnings }

  /// Sets the predicates and the descriptions of their failures; nil means an empty list.
  open func setValidationPredicates(
    _ validationPredicates: [NSPredicate]?,
    withValidationWarnings validationWarnings: [String]?
  ) {
    willChange()
    storedPredicates = validationPredicates ?? []
    storedWarnings = validationWarnings ?? []
  }

  /// A 32-byte hash of everything about the property that affects stored data.
  ///
  /// The hash is empty if the property belongs to no entity, if the entity has no name, or if the entity's
  /// model is not valid. For an entity outside a model, the hash is empty if the entity is not valid.
  ///
  /// Source: observed, `docs/reference/version-hash.md`.
  open var versionHash: Data { propertyVersionHash() }

  /// Returns a copy that does not belong to an entity.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = Self()
    copy.copySettings(from: self)
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

  /// The reference that other descriptions store instead of the property itself.
  package var backReference: BackReference<NSPropertyDescription> { reference }
  package var explicitRenamingIdentifier: String? { storedRenamingIdentifier }

  /// Stops the program if the model is in use; otherwise invalidates all cached definitions and version
  /// hashes.
  package func willChange() {
    owner?.target?.willChange()
    ModelEdits.add()
  }

  /// Copies all settings except the entity; subclasses also copy their own settings.
  package func copySettings(from other: NSPropertyDescription) {
    name = other.name
    isOptional = other.isOptional
    isTransient = other.isTransient
    userInfo = other.userInfo
    versionHashModifier = other.versionHashModifier
    isIndexedBySpotlight = other.isIndexedBySpotlight
    indexMark = other.indexMark
    storedRenamingIdentifier = other.storedRenamingIdentifier
    storedPredicates = other.storedPredicates
    storedWarnings = other.storedWarnings
  }

  /// Returns whether `other` is of the same class and has equal content; subclasses also compare their own
  /// settings.
  ///
  /// Validation warnings, Spotlight indexing and entries of `userInfo` other than strings are not compared.
  package func hasSameContent(as other: NSPropertyDescription) -> Bool {
    type(of: self) == type(of: other) && name == other.name && isOptional == other.isOptional
      && isTransient == other.isTransient && versionHashModifier == other.versionHashModifier
      && renamingIdentifier == other.renamingIdentifier && indexMark == other.indexMark
      && storedPredicates == other.storedPredicates
      && textInfo(userInfo) == textInfo(other.userInfo)
  }
}

/// Returns the entries of a `userInfo` whose key and value are both strings; a model file cannot contain
/// other entries.
func textInfo(_ info: [AnyHashable: Any]?) -> [String: String] {
  var texts: [String: String] = [:]
  for (key, value) in info ?? [:] {
    if let key = key as? String, let value = value as? String { texts[key] = value }
  }
  return texts
}
