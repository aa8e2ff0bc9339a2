// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel

/// A managed object: the values of one row, and the unsaved changes to these values.
///
/// ```swift
/// let team = Team(context: context)
/// team.wins += 1
/// try context.save()
/// ```
/// An object is confined to its context's queue.
///
/// Source: documented, “NSManagedObject”.
open class NSManagedObject: GraphObject {
  // MARK: Creating

  // Never inlined, so that callers cannot infer the object's class from the call.
  /// Creates an object of `entity` with the model's default values, and inserts the object into the context,
  /// if any.
  ///
  /// Without a context, changes are not tracked until the object is passed to `insert(_:)` of a context.
  ///
  /// If the initialiser is called on a superclass of the entity's class, such as `NSManagedObject`, the
  /// object becomes an instance of the entity's class. Stops the program if the entity's class adds stored
  /// properties; for such a class, use the class's own initialiser or
  /// `NSEntityDescription.insertNewObject(forEntityName:into:)`.
  ///
  /// Also stops the program if the entity does not belong to a valid model and, with a context, if the entity
  /// is abstract or not in the context's model.
  @inline(never)
  public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    if let context, let seed = context.consumeFaultState() {
      super.init(registry: seed.registry, key: seed.key, flags: seed.flags)
      return
    }
    var entity = entity
    var frozen = entity.frozenForUse()
    if let context, frozen !== context.frozenModel {
      entity = context.counterpart(of: entity)
      frozen = entity.frozenForUse()
    }
    if entity.isAbstract, context != nil { Misuse.insertsAbstract(entity) }
    let type =
      Self._entityName == entity.name
      ? Self.self : frozen.managedObjectClass(at: entity.frozenIndex, asked: Self.self)
    // `insertNew(_:)` stops the program if the context has another model.
    let registry = frozen === context?.frozenModel ? context?.registry : nil
    super.init(
      registry: registry ?? frozen.detachedRegistry,
      key: .temporary(entity: entity.frozenIndex, number: TemporaryNumbers.next()),
      flags: frozen.flags(of: type, at: entity.frozenIndex)
    )
    if type != Self.self { changeClass(to: type) }
    if let context {
      context.insertNew(self)
    } else {
      let place = DetachedRow.make(entityDefinition)
      self.point(at: place, row: 0)
      for (slot, value) in frozen.opaqueDefaults[entity.frozenIndex] {
        detailCreatingIfNeeded.objects[slot] = value
      }
    }
  }

  /// Creates an object whose class is known only at run time, with the `init(entity:insertInto:)` of that
  /// class.
  ///
  /// Not in Apple's framework.
  ///
  /// The compiler chooses this initialiser for `T(entity: entity, insertInto: context)` with a generic
  /// parameter or a metatype `T`, because an object of such a class can be created only with a required
  /// initialiser. `init(entity:insertInto:)` is not required, so a subclass declares it with `override`
  /// instead of `required`. Subclasses inherit this initialiser. The last parameter is not used.
  ///
  /// Source: this library's choice; on Apple's systems all initialisers of Objective-C classes can be called in
  /// this way. See docs/decisions/0016-types-that-others-extend.md.
  @_disfavoredOverload
  public required convenience init(
    entity: NSEntityDescription,
    insertInto context: NSManagedObjectContext?,
    _: Void = ()
  ) {
    self.init(entity: entity, insertInto: context)
  }

  // Written explicitly: the compiler-synthesised initialiser is not usable from inline, so classes in other
  // packages would not inherit `init(context:)`. This is a convenience initialiser, so that a class that
  // declares `init(entity:insertInto:)` still inherits `init(context:)`.
  @usableFromInline
  package override convenience init(registry: ObjectRegistry, key: ObjectKey, flags: ObjectFlags) {
    Misuse.objectWithoutEntity("\(Self.self)")
  }

  /// Creates an object in no context.
  ///
  /// The object's entity is the only entity of this class in a model in use; if there is no such entity, the
  /// program stops with Apple's message. In Apple's framework this initialiser logs "Failed to call
  /// designated initializer" and returns an unusable object. Here the result is the same as with
  /// `init(entity:insertInto:)` without a context.
  public convenience init() {
    guard let entity = LiveModels.entity(of: Self.self) else {
      Misuse.objectWithoutEntity("\(Self.self)")
    }
    self.init(entity: entity, insertInto: nil)
  }

  /// Creates an object of this class and inserts it into `context`.
  ///
  /// Stops the program unless the context has a model with exactly one entity of this class.
  public convenience init(context: NSManagedObjectContext) {
    self.init(entity: Self.entity(in: context), insertInto: context)
  }

  /// Creates an object whose class is known only at run time, and inserts it into `context`.
  ///
  /// Not in Apple's framework.
  ///
  /// The compiler chooses this initialiser for `T(context: context)` with a generic parameter or a metatype
  /// `T`. This initialiser does not call an `init(context:)` that a subclass declares; the subclass can
  /// override this initialiser instead. The last parameter is not used.
  ///
  /// Source: this library's choice; see `init(entity:insertInto:_:)`.
  @_disfavoredOverload
  public required convenience init(context: NSManagedObjectContext, _: Void = ()) {
    self.init(entity: Self.entity(in: context), insertInto: context)
  }

  /// Returns the entity of this class in a model in use that has exactly one such entity.
  ///
  /// If there is no such entity, Apple's message is written to standard error and the returned entity has no
  /// name and no model; creating an object of the returned entity stops the program.
  open class func entity() -> NSEntityDescription { ManagedObjectClasses.entity(of: self) }

  /// Returns a fetch request for this class's entity.
  ///
  /// If no model in use has exactly one entity of the class, the entity name of the request is the name of
  /// the class.
  ///
  /// Disfavoured, so that `let request = Team.fetchRequest()` uses the method that Xcode generates, if the
  /// class has this method.
  @_disfavoredOverload
  open class func fetchRequest() -> NSFetchRequest<NSFetchRequestResult> {
    NSFetchRequest(entityName: entityNameOfClass)
  }

  // MARK: Overridden by generated classes

  /// The names of all properties in slot order; empty for a hand-written class.
  open class var _slotNames: [String] { [] }
  /// The names of all properties, including inherited properties, by key path.
  ///
  /// For a hand-written class, contains only the `@NSManaged` properties.
  open class var _keyPathNames: [AnyKeyPath: String] {
    ManagedAccessorTables.keyPathNames(of: self)
  }
  /// The entity's name; nil for a hand-written class.
  open class var _entityName: String? { nil }

  // MARK: Class settings

  /// Whether `didChangeValue(forKey:)` ignores a key that is not in the model; true by default.
  ///
  /// If a subclass returns false, a call with such a key marks the object as updated.
  open class var contextShouldIgnoreUnmodeledPropertyChanges: Bool { true }
  /// Validators of single properties, by name; replaces the `validate<Key>(_:)` methods that Apple's
  /// framework finds.
  ///
  /// Not in Apple's framework.
  ///
  /// ```swift
  /// override class var validators: [String: Validator] {
  ///   ["age": { object, age in try (object as? Person)?.validateAge(&age) }]
  /// }
  /// ```
  /// `validateValue(_:forKey:)` calls the validator of the key after the model's rules. A save calls all
  /// validators for each inserted or updated object; if a validator replaces a value, the property is set to
  /// the new value. Empty by default. This dictionary is read once for each class and model; a subclass adds
  /// its validators to `super.validators`.
  ///
  /// Source: this library's choice.
  open class var validators: [String: Validator] { [:] }
  /// A closure that validates the value of a property of an object, and may replace the value.
  ///
  /// An error that the closure throws prevents the save.
  ///
  /// Not in Apple's framework.
  public typealias Validator = @Sendable (NSManagedObject, inout Any?) throws -> Void

  /// Computed properties by name, for key-value coding; replaces the methods and properties that Apple's
  /// framework finds.
  ///
  /// Not in Apple's framework.
  ///
  /// ```swift
  /// override class var computedProperties: [String: Computed] {
  ///   ["initial": { ($0 as? Person)?.initial }]
  /// }
  /// ```
  /// Computed properties are read by a results controller's `sectionNameKeyPath`, by `value(forKey:)`, and by
  /// predicates evaluated in memory, but not by stores. Empty by default; a subclass adds its properties to
  /// `super.computedProperties`.
  ///
  /// Source: this library's choice.
  open class var computedProperties: [String: Computed] { [:] }
  /// A closure that returns the value of a computed property of an object.
  ///
  /// Not in Apple's framework.
  public typealias Computed = @Sendable (NSManagedObject) -> Any?

  // MARK: Identity

  /// The object's ID, which is temporary until the first save or `obtainPermanentIDs(for:)`.
  open var objectID: NSManagedObjectID {
    NSManagedObjectID(key, frozenModel, storeCoordinator)
  }
  /// The object's entity.
  open var entity: NSEntityDescription { frozenModel.entities[key.entity] }
  /// The context; nil for an object that is in no context, for example after its deletion was saved or after
  /// a reset.
  open var managedObjectContext: NSManagedObjectContext? { context }

  // MARK: State

  /// Whether the next save inserts the object's row.
  open var isInserted: Bool { flags.contains(.inserted) }
  /// Whether the object is in the store and has unsaved changes; setting a property to an equal value is a
  /// change.
  open var isUpdated: Bool { flags.contains(.updated) }
  /// Whether the next save deletes the object's row.
  open var isDeleted: Bool { flags.contains(.deleted) }
  /// Whether the object is a fault.
  ///
  /// Reading this property does not fire the fault.
  open var isFault: Bool { isUnrealized }
  /// Whether the object has an unsaved insertion, update or deletion; setting a property to an equal value is
  /// an update.
  open var hasChanges: Bool { !flags.isDisjoint(with: .unsaved) }
  /// Whether `changedValues()` is not empty; does not read the members of relationships.
  open var hasPersistentChangedValues: Bool { hasChangedSlots }
  /// The faulting state as a number: 1 for a fault, otherwise 0.
  open var faultingState: Int { isFault ? 1 : 0 }

  // MARK: Life cycle, for subclasses

  /// Called once for each object, after it is first inserted into a context.
  ///
  /// Call super.
  open func awakeFromInsert() {}
  /// Called after the values were read from the store; changes made here are not recorded.
  ///
  /// Call super.
  open func awakeFromFetch() {}
  /// Called after one of the events of `NSSnapshotEventType` changed the object's values.
  ///
  /// Call super.
  ///
  /// Source: documented, “awake(fromSnapshotEvents:)”.
  open func awake(fromSnapshotEvents flags: NSSnapshotEventType) {}
  /// Called before a save; changes made here are saved too.
  ///
  /// Called repeatedly until no object changes; after 1000 rounds the program stops.
  open func willSave() {}
  /// Called after a save has written the insertion, update or deletion of the object.
  open func didSave() {}
  /// Called when the object is deleted, before its delete rules are applied.
  open func prepareForDeletion() {}
  /// Called before a refresh without merging discards the object's values.
  ///
  /// The values can still be read.
  open func willTurnIntoFault() {}
  /// Called after a refresh without merging has discarded the object's values.
  open func didTurnIntoFault() {}

  // MARK: Key-value coding

  /// Returns the value of a property; nil for an attribute without a value and a to-one without a
  /// destination.
  ///
  /// The value of a to-many is an `NSSet` or an `NSOrderedSet`; the value of a fetched property is an array.
  /// For an unknown key, calls `value(forUndefinedKey:)`.
  open func value(forKey key: String) -> Any? { modelledValue(key) }
  /// Sets a property; for an object in a context, records the change and updates the inverse of a
  /// relationship.
  ///
  /// A value of the wrong type stops the program. For an unknown key, calls `setValue(_:forUndefinedKey:)`.
  open func setValue(_ value: Any?, forKey key: String) { setModelledValue(value, key) }
  /// The value of a property, read and set as by `value(forKey:)` and `setValue(_:forKey:)`.
  open subscript(key: String) -> Any? {
    get { value(forKey: key) }
    set { setValue(newValue, forKey: key) }
  }
  /// Returns the value of the computed property with the given name; stops the program if the class has no
  /// such property.
  ///
  /// A subclass can override this method to return a value for any key.
  open func value(forUndefinedKey key: String) -> Any? {
    if let compute = Self.computedProperties[key] { return compute(self) }
    Misuse.undefinedKey(key, of: self, verb: "valueForUndefinedKey:")
  }
  /// Called for a key that is not in the model; by default, stops the program.
  ///
  /// A subclass can override this method to accept the key.
  open func setValue(_ value: Any?, forUndefinedKey key: String) {
    Misuse.undefinedKey(key, of: self, verb: "setValue:forUndefinedKey:")
  }
  /// Returns the value of a property without firing the fault and without reporting that the property is
  /// read; nil if the object is a fault.
  ///
  /// Call `willAccessValue(forKey:)` before this method, and `didAccessValue(forKey:)` after it. The members
  /// of a to-many are read from the store when they are first used, even if this method returned the to-many.
  open func primitiveValue(forKey key: String) -> Any? { primitiveModelledValue(key) }
  /// Sets the value of a property without recording a change or updating the inverse.
  ///
  /// The value is saved together with the object's next recorded change. Between `willChangeValue(forKey:)`
  /// and `didChangeValue(forKey:)` the new value is recorded as a change.
  open func setPrimitiveValue(_ value: Any?, forKey key: String) {
    setPrimitiveModelledValue(value, key)
  }
  /// Fires the fault and, if `key` is not nil, reports that the property is about to be read.
  open func willAccessValue(forKey key: String?) { announceAccess(key) }
  /// Marks the end of a read; does nothing in this library.
  open func didAccessValue(forKey key: String?) {}
  /// Records that `setPrimitiveValue(_:forKey:)` is about to change the property.
  open func willChangeValue(forKey key: String) { announceChange(key) }
  /// Ends a change that `willChangeValue(forKey:)` began: updates the inverse of a relationship and notifies
  /// observers.
  open func didChangeValue(forKey key: String) { finishChange(key) }
  /// Does the same as `willChangeValue(forKey:)`; the mutation kind and the objects are ignored.
  open func willChangeValue(
    forKey inKey: String,
    withSetMutation inMutationKind: NSKeyValueSetMutationKind,
    using inObjects: Set<AnyHashable>
  ) {
    announceChange(inKey)
  }
  /// Does the same as `didChangeValue(forKey:)`; the mutation kind and the objects are ignored.
  open func didChangeValue(
    forKey inKey: String,
    withSetMutation inMutationKind: NSKeyValueSetMutationKind,
    using inObjects: Set<AnyHashable>
  ) {
    finishChange(inKey)
  }
  /// Does the same as `willChangeValue(forKey:)`, for an ordered to-many; the kind of the change and the
  /// indexes are ignored.
  open func willChange(
    _ changeKind: NSKeyValueChange,
    valuesAt indexes: IndexSet,
    forKey key: String
  ) {
    announceChange(key)
  }
  /// Does the same as `didChangeValue(forKey:)`, for an ordered to-many; the kind of the change and the
  /// indexes are ignored.
  open func didChange(
    _ changeKind: NSKeyValueChange,
    valuesAt indexes: IndexSet,
    forKey key: String
  ) {
    finishChange(key)
  }
  /// Returns the names of the properties on which the value of a computed property depends; empty by default.
  ///
  /// ```swift
  /// override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
  ///   key == "initial" ? ["name"] : super.keyPathsForValuesAffectingValue(forKey: key)
  /// }
  /// ```
  /// An observer of the computed property is notified when one of these properties changes. The names can be
  /// those of other computed properties of the class, but not key paths of several steps.
  ///
  /// Source: documented, “keyPathsForValuesAffectingValue(forKey:)”.
  open class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> { [] }

  // MARK: Validation

  /// Validates a value for a property, and may replace the value.
  ///
  /// - Throws: an error in `NSCocoaErrorDomain` with a code from 1550 to 1690, or with the code that the
  ///   model gives for a validation predicate; the errors of the class's validator.
  open func validateValue(_ value: inout Any?, forKey key: String) throws {
    try validateModelledValue(&value, key)
  }
  /// Validates every property before the object's row is inserted.
  ///
  /// - Throws: the errors of `validateValue(_:forKey:)`; several errors are combined in 1560.
  open func validateForInsert() throws { try validateProperties() }
  /// Validates every property before the object's row is updated.
  ///
  /// If the object is a fault, fires the fault first, except during a save: an object whose only changes are
  /// in to-manys can be saved as a fault.
  /// - Throws: the same errors as `validateForInsert()`.
  open func validateForUpdate() throws { try validateStored() }
  /// Validates that no relationship with the Deny rule prevents the deletion.
  ///
  /// - Throws: `NSValidationRelationshipDeniedDeleteError` (1600); several errors are combined in 1560.
  open func validateForDelete() throws { try validateDenials() }

  open override var description: String { describe() }
}

extension NSManagedObject: KeyedObject {
  package func keyedValue(_ key: String) throws -> Value { try keyedModelledValue(key) }
  package var objectKey: ObjectKey? { key }
  package var keyedRow: KeyedRow? {
    checkQueue("valueForKey:")
    realize()
    return borrowedRow
  }
}

extension NSManagedObject {
  package final var context: NSManagedObjectContext? {
    // The registry's owner is always the context that created it.
    registry.owner.map { unsafeDowncast($0, to: NSManagedObjectContext.self) }
  }
  /// The coordinator of the object's stores, even if the object has left its context; nil for an object that
  /// was never in a context.
  private var storeCoordinator: NSPersistentStoreCoordinator? {
    context?.coordinator ?? registry.coordinator as? NSPersistentStoreCoordinator
  }
  package final var frozenModel: FrozenModel {
    // Only this module creates registries, and their `modelObject` is always the frozen model.
    unsafeDowncast(registry.modelObject, to: FrozenModel.self)
  }

  class var entityNameOfClass: String {
    _entityName ?? LiveModels.entity(of: self)?.name ?? ManagedObjectClasses.lastComponent(of: self)
  }

  class func entity(in context: NSManagedObjectContext) -> NSEntityDescription {
    guard let model = context.frozenModel else { Misuse.contextHasNoModel(entityName: "\(self)") }
    guard let entity = model.entity(of: self) else { Misuse.classHasNoEntity(self, in: model) }
    return entity
  }
}
