// SPDX-License-Identifier: Apache-2.0

import CoreData

/// A model with every cardinality, with and without inverse, to itself and to a sub-entity.
enum Web {
  static func model() -> NSManagedObjectModel {
    let node = entity("Node", attributes: nodeAttributes())
    let leaf = entity("Leaf", attributes: [attribute("colour", .stringAttributeType)])
    let thing = entity("Thing", attributes: [attribute("name", .stringAttributeType)])
    let group = entity("Group", attributes: [attribute("name", .stringAttributeType)])
    node.managedObjectClassName = "Node"
    leaf.managedObjectClassName = "Node"
    node.subentities = [leaf]
    ManagedObjectClasses.register(Node.self)
    link(one(node, "parent", node), many(node, "children", node))
    link(one(node, "next", node), one(node, "previous", node))
    let spouse = one(node, "spouse", node)
    link(spouse, spouse)
    let friends = many(node, "friends", node)
    link(friends, friends)
    link(many(node, "items", thing, ordered: true), one(thing, "owner", node))
    link(many(node, "groups", group), many(group, "members", node, ordered: true))
    link(many(group, "leaves", leaf), one(leaf, "club", group))
    _ = one(node, "favourite", thing)
    _ = many(node, "likes", thing)
    let model = NSManagedObjectModel()
    model.entities = [node, leaf, thing, group]
    return model
  }

  static func entity(
    _ name: String,
    attributes: [NSAttributeDescription]
  ) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = attributes
    return entity
  }

  static func attribute(
    _ name: String,
    _ type: NSAttributeType,
    isTransient: Bool = false
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.attributeType = type
    attribute.isTransient = isTransient
    return attribute
  }

  private static func nodeAttributes() -> [NSAttributeDescription] {
    let rank = attribute("rank", .integer32AttributeType)
    rank.defaultValue = 7
    return [
      attribute("name", .stringAttributeType), rank,
      attribute("cache", .stringAttributeType, isTransient: true),
      attribute("live", .undefinedAttributeType, isTransient: true),
    ]
  }

  static func one(
    _ owner: NSEntityDescription,
    _ name: String,
    _ destination: NSEntityDescription
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = destination
    relationship.maxCount = 1
    owner.properties = owner.properties.filter { owner.isOwn($0) } + [relationship]
    return relationship
  }

  static func many(
    _ owner: NSEntityDescription,
    _ name: String,
    _ destination: NSEntityDescription,
    ordered: Bool = false
  ) -> NSRelationshipDescription {
    let relationship = one(owner, name, destination)
    relationship.maxCount = 0
    relationship.isOrdered = ordered
    return relationship
  }

  static func link(_ first: NSRelationshipDescription, _ second: NSRelationshipDescription) {
    first.inverseRelationship = second
    second.inverseRelationship = first
  }
}

extension NSEntityDescription {
  /// Whether the entity itself declares the property.
  fileprivate func isOwn(_ property: NSPropertyDescription) -> Bool { property.entity === self }
}

/// What happened to the objects of one context, in order, and what they do about it.
final class Hooks {
  var log: [String] = []
  /// Event → what the object does then.
  var reactions: [String: (Node) -> Void] = [:]

  init(_ context: NSManagedObjectContext) { context.userInfo["hooks"] = self }

  static func of(_ context: NSManagedObjectContext?) -> Hooks? {
    context?.userInfo["hooks"] as? Hooks
  }

  /// How often the event happened.
  func count(_ event: String) -> Int { log.count { $0 == event } }
}

/// A class as the code generator writes it, whose hooks are recorded in the context's `Hooks`.
final class Node: NSManagedObject {
  override class var _entityName: String? { "Node" }
  override class var _slotNames: [String] {
    [
      "cache", "favourite", "live", "name", "next", "parent", "previous", "rank", "spouse",
      "children", "friends", "groups", "items", "likes",
    ]
  }
  override class var _keyPathNames: [AnyKeyPath: String] {
    [
      \Node.name: "name", \Node.rank: "rank", \Node.parent: "parent", \Node.children: "children",
      \Node.items: "items", \Node.cache: "cache", \Node.spouse: "spouse",
    ]
  }

  private func note(_ event: String, _ hooks: Hooks?) {
    hooks?.log.append(event)
    hooks?.reactions[event]?(self)
  }
  private func note(_ event: String) { note(event, Hooks.of(managedObjectContext)) }

  override func awakeFromInsert() { note("awakeFromInsert") }
  override func awakeFromFetch() { note("awakeFromFetch") }
  override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
    note("awake \(flags.rawValue)")
  }
  override func willSave() { note("willSave") }
  override func didSave() { note("didSave", savingHooks ?? Hooks.of(managedObjectContext)) }
  override func prepareForDeletion() {
    savingHooks = Hooks.of(managedObjectContext)
    note("prepareForDeletion")
  }
  override func willTurnIntoFault() { note("willTurnIntoFault") }
  override func didTurnIntoFault() { note("didTurnIntoFault") }
  /// Those of the context that a deleted object has left when its deletion is saved.
  private var savingHooks: Hooks?
}

extension Node {
  var cache: String? {
    get { _read(0, "cache") }
    set { _write(newValue, 0, "cache") }
  }
  var name: String? {
    get { _read(3, "name") }
    set { _write(newValue, 3, "name") }
  }
  var parent: Node? {
    get { _readReference(5, "parent") }
    set { _writeReference(newValue, 5, "parent") }
  }
  var rank: Int32 {
    get { _read(7, "rank") }
    set { _write(newValue, 7, "rank") }
  }
  var spouse: Node? {
    get { _readReference(8, "spouse") }
    set { _writeReference(newValue, 8, "spouse") }
  }
  var children: NSSet? {
    get { _readSet(9, "children") }
    set { _writeSet(newValue, 9, "children") }
  }
  var items: NSOrderedSet? {
    get { _readOrderedSet(12, "items") }
    set { _writeOrderedSet(newValue, 12, "items") }
  }
  var kids: Set<Node> { Set(destinations("children").compactMap { $0 as? Node }) }
  func addToChildren(_ value: Node) { _add(value, 9, "children") }
  func removeFromChildren(_ value: Node) { _remove(value, 9, "children") }
  func addToItems(_ value: NSManagedObject) { _add(value, 12, "items") }
  func removeFromItems(_ value: NSManagedObject) { _remove(value, 12, "items") }
  func insertIntoItems(_ value: NSManagedObject, at idx: Int) {
    _insert(value, at: idx, 12, "items")
  }
  func insertIntoItems(_ values: [NSManagedObject], at indexes: NSIndexSet) {
    _insert(values, at: indexes, 12, "items")
  }
  func removeFromItems(at idx: Int) { _removeObject(at: idx, 12, "items") }
  func removeFromItems(at indexes: NSIndexSet) { _removeObjects(at: indexes, 12, "items") }
  func replaceItems(at idx: Int, with value: NSManagedObject) {
    _replace(at: idx, with: value, 12, "items")
  }
  func replaceItems(at indexes: NSIndexSet, with values: [NSManagedObject]) {
    _replace(at: indexes, with: values, 12, "items")
  }
}

/// A stack of the web model with its hooks.
final class WebStack {
  let stack: LibraryStack
  let hooks: Hooks
  /// Contexts that `reread` made.
  private var others: [NSManagedObjectContext] = []
  var context: NSManagedObjectContext { stack.context }

  init(_ type: String = NSInMemoryStoreType) throws {
    stack = try LibraryStack(type, model: Web.model())
    hooks = Hooks(stack.context)
  }

  func node(_ name: String, _ entity: String = "Node") throws -> Node {
    guard let node = stack.make(entity) as? Node else { throw CocoaError(.fileNoSuchFile) }
    node.name = name
    return node
  }

  func thing(_ name: String) -> NSManagedObject { stack.make("Thing", ["name": name]) }

  func save() throws { try context.save() }

  /// The node of that name in another context, or in a new one.
  func reread(_ name: String, in context: NSManagedObjectContext? = nil) throws -> Node {
    let context = context ?? stack.container.newBackgroundContext()
    others.append(context)
    let request = NSFetchRequest<Node>(entityName: "Node")
    request.predicate = NSPredicate(format: "name == %@", name)
    guard let node = try context.fetch(request).first else { throw CocoaError(.fileNoSuchFile) }
    return node
  }

  /// Statements that `body` starts.
  func statements(_ body: () throws -> Void) throws -> [String] {
    guard let store = stack.container.persistentStoreCoordinator.persistentStores.first else {
      throw CocoaError(.fileNoSuchFile)
    }
    let texts = StatementTexts()
    store.statements.setOnStart { texts.add($0) }
    defer { store.statements.setOnStart(nil) }
    try body()
    return texts.all
  }
}

/// Texts of statements in the order of their start.
final class StatementTexts: @unchecked Sendable {
  // Unchecked: the store calls on the thread that fetches or saves.
  private(set) var all: [String] = []
  func add(_ text: String) { all.append(text) }
}

extension Sequence where Element == NSManagedObject {
  /// The objects' names, in order.
  var names: [String] { map { $0.value(forKey: "name") as? String ?? "nil" } }
}

extension NSManagedObject {
  /// The destinations of a relationship, in order where it has one.
  func destinations(_ key: String) -> [NSManagedObject] {
    switch value(forKey: key) {
    case let set as NSOrderedSet: set.array.compactMap { $0 as? NSManagedObject }
    case let set as NSSet: set.allObjects.compactMap { $0 as? NSManagedObject }
    case let one as NSManagedObject: [one]
    default: []
    }
  }
}
