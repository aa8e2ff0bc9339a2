// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// The description of one entity of a model.
///
/// ```swift
/// let team = NSEntityDescription()
/// team.name = "Team"
/// team.managedObjectClassName = "Team"
/// team.properties = [name, wins]
/// ```
/// The description is mutable until a coordinator or an object uses the model. A later change stops the
/// program.
///
/// Source: documented, “NSEntityDescription”.
open class NSEntityDescription: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked: the entity is changed only before the model is first used, and is read-only afterwards.

  /// The entity's name, unique in its model; nil by default.
  open var name: String? { willSet { willChange() } }
  /// Whether the entity is abstract, so that only its subentities can have objects; false by default.
  open var isAbstract = false { willSet { willChange() } }
  /// Values for the application's own use; nil by default.
  open var userInfo: [AnyHashable: Any]? { willSet { willChange() } }
  /// A string that is part of the version hash, for changing the hash deliberately; nil by default.
  open var versionHashModifier: String? { willSet { willChange() } }
  package var codeGeneration: CodeGeneration?

  private var className: String?
  private var storedRenamingIdentifier: String?
  private var ownList: [NSPropertyDescription] = []
  private var childList: [NSEntityDescription] = []
  private var indexList: [NSFetchIndexDescription] = []
  private var constraintList: [[Any]] = []
  private var parent: BackReference<NSEntityDescription>?
  private let reference = BackReference<NSEntityDescription>()
  package var modelReference: BackReference<NSManagedObjectModel>?
  /// The frozen form of the model; nil until the model is first used.
  var frozenReference: BackReference<FrozenModel>?
  var frozenTables: PropertyTables?
  /// Caches the definition and version hashes of an entity that is in no model.
  let cache = DefinitionCache()
  /// The index in `FrozenModel.entities`; -1 until the model is first used.
  package internal(set) var frozenIndex = -1

  /// Creates an entity without a name or properties.
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

  deinit {
    reference.clear()
    for child in childList { child.parent = nil }
  }

  // MARK: Model and hierarchy

  /// The model of the entity; stops the program if the entity belongs to no model, or if the model has been
  /// released.
  open var managedObjectModel: NSManagedObjectModel {
    guard let model = modelReference?.target else { Misuse.entityHasNoModel(name) }
    return model
  }
  /// The parent entity; nil for a root entity.
  ///
  /// Setting the `subentities` of the parent sets this property.
  open var superentity: NSEntityDescription? { parent?.target }
  /// The direct subentities; empty by default.
  ///
  /// Setting this property makes this entity the superentity of the new subentities, and adds the subentities
  /// to this entity's model.
  open var subentities: [NSEntityDescription] {
    get { childList }
    set {
      willChange()
      for child in childList { child.parent = nil }
      childList = newValue
      for child in newValue { child.parent = reference }
      modelReference?.target?.addEntities(newValue)
    }
  }
  /// The direct subentities, by name.
  open var subentitiesByName: [String: NSEntityDescription] {
    Dictionary(childList.compactMap { child in child.name.map { ($0, child) } }) { first, _ in first
    }
  }
  /// Returns whether the entity is `entity` or one of its direct or indirect subentities.
  open func isKindOf(entity: NSEntityDescription) -> Bool {
    var next: NSEntityDescription? = self
    while let current = next {
      if current === entity { return true }
      next = current.superentity
    }
    return false
  }

  // MARK: Class and names

  /// The name of the class of the entity's objects, with or without the module name.
  ///
  /// The name is `NSManagedObject` by default, and after this property is set to nil or an empty string.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  // Apple's declaration: the property can be set to nil, but never returns nil.
  open var managedObjectClassName: String! {
    get { className ?? "NSManagedObject" }
    set {
      willChange()
      className = newValue.flatMap { $0.isEmpty || $0 == "NSManagedObject" ? nil : $0 }
    }
  }
  /// The name that identifies the entity's predecessor in a migration; by default, the entity's own name.
  open var renamingIdentifier: String? {
    get { storedRenamingIdentifier ?? name }
    set {
      willChange()
      storedRenamingIdentifier = newValue
    }
  }

  // MARK: Properties

  /// The inherited properties, followed by the entity's own.
  ///
  /// Setting this property replaces the entity's own properties; inherited properties in the new value are
  /// ignored.
  open var properties: [NSPropertyDescription] {
    get { (superentity?.properties ?? []) + ownList }
    set {
      willChange()
      let inherited = Set((superentity?.properties ?? []).map(ObjectIdentifier.init))
      for property in ownList { property.owner = nil }
      ownList = newValue.filter { !inherited.contains(ObjectIdentifier($0)) }
      for property in ownList { property.owner = reference }
    }
  }
  /// The entity's own and inherited properties, by name.
  open var propertiesByName: [String: NSPropertyDescription] { tables.properties }
  /// The entity's own and inherited attributes, by name.
  open var attributesByName: [String: NSAttributeDescription] { tables.attributes }
  /// The entity's own and inherited relationships, by name.
  open var relationshipsByName: [String: NSRelationshipDescription] { tables.relationships }
  /// Returns the entity's own and inherited relationships whose destination is exactly `entity`, not one of
  /// its superentities or subentities.
  open func relationships(
    forDestination entity: NSEntityDescription
  ) -> [NSRelationshipDescription] {
    properties.compactMap { $0 as? NSRelationshipDescription }
      .filter { $0.destinationEntity === entity }
  }

  // MARK: Indexes and constraints

  /// The entity's own indexes; empty by default.
  open var indexes: [NSFetchIndexDescription] {
    get { indexList }
    set {
      willChange()
      for index in indexList { index.owner = nil }
      indexList = newValue
      for index in newValue { index.owner = reference }
    }
  }
  /// The entity's own uniqueness constraints, each a list of attribute names or descriptions.
  ///
  /// The constraints are part of the version hash.
  open var uniquenessConstraints: [[Any]] {
    get { constraintList }
    set {
      willChange()
      constraintList = newValue
    }
  }
  /// Always empty, because `indexes` has replaced this property; setting this property has no effect, as in
  /// Apple's framework.
  @available(*, deprecated, message: "Use indexes")
  open var compoundIndexes: [[Any]] {
    get { [] }
    set {}
  }

  // MARK: Version

  /// A 32-byte hash of everything about the entity that affects stored data.
  ///
  /// The hash is empty if the entity has no name, or if its model is not valid. For an entity outside a
  /// model, the hash is empty if the entity is not valid.
  ///
  /// Source: observed, `docs/reference/version-hash.md`.
  open var versionHash: Data { entityVersionHash() }

  // MARK: Copying, equality

  /// Returns a copy that contains copies of the entity's own properties, its indexes and its subentities.
  ///
  /// The copy belongs to no model and has no superentity, and therefore lacks the inherited properties.
  open func copy(with zone: NSZone? = nil) -> Any { EntityCopier().copy(self) }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSEntityDescription else { return false }
    return self === other || hasSameContent(as: other)
  }
  open override var hash: Int { (name ?? "").hashValue }
  open override var description: String {
    "(<NSEntityDescription>) name \(name ?? "(null)"), managedObjectClassName "
      + "\(managedObjectClassName ?? "NSManagedObject"), renamingIdentifier "
      + "\(renamingIdentifier ?? "(null)"), isAbstract \(isAbstract ? 1 : 0), superentity name "
      + "\(superentity?.name ?? "(null)"), properties \(properties.map(\.name)), subentities "
      + "\(childList.compactMap(\.name))"
  }
}

extension NSEntityDescription {
  package var ownProperties: [NSPropertyDescription] { ownList }
  package var backReference: BackReference<NSEntityDescription> { reference }
  package var explicitRenamingIdentifier: String? { storedRenamingIdentifier }
  package var explicitClassName: String? { className }
  /// The model's frozen form; nil until the model is first used.
  package var frozen: FrozenModel? { frozenReference?.target }
  /// The core's definition of the entity; nil until the model is first used.
  package var definition: EntityDefinition? { frozen?.definition.entities[frozenIndex] }

  /// Stops the program if the model is in use; otherwise invalidates all cached definitions and version
  /// hashes.
  package func willChange() {
    if frozenReference != nil { Misuse.immutableModel() }
    ModelEdits.add()
  }

  private var tables: PropertyTables { frozenTables ?? PropertyTables(properties) }

  func hasSameContent(as other: NSEntityDescription) -> Bool {
    name == other.name && isAbstract == other.isAbstract && className == other.className
      && versionHashModifier == other.versionHashModifier
      && renamingIdentifier == other.renamingIdentifier
      && superentity?.name == other.superentity?.name
      && textInfo(userInfo) == textInfo(other.userInfo)
      && constraintNames == other.constraintNames && indexList == other.indexList
      && Set(ownList) == Set(other.ownList)
      && Set(childList.compactMap(\.name)) == Set(other.childList.compactMap(\.name))
  }

  /// The entity's own uniqueness constraints, each a list of attribute names.
  package var constraintNames: [[String]] {
    constraintList.map { constraint in
      constraint.compactMap { ($0 as? NSPropertyDescription)?.name ?? $0 as? String }
    }
  }
}

struct PropertyTables {
  var properties: [String: NSPropertyDescription] = [:]
  var attributes: [String: NSAttributeDescription] = [:]
  var relationships: [String: NSRelationshipDescription] = [:]

  init(_ list: [NSPropertyDescription]) {
    for property in list {
      properties[property.name] = property
      if let attribute = property as? NSAttributeDescription {
        attributes[property.name] = attribute
      } else if let relationship = property as? NSRelationshipDescription {
        relationships[property.name] = relationship
      }
    }
  }
}
