// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport

/// A store, its contexts, a results controller on one of them, and everything that can happen to them, at
/// random but the same in every run of the same seed.
// Unchecked: one thread at a time works with it. Where a step saves or batches, it holds the queues of the
// levels, so that what their merges report comes when the step waits for them; see `holdingLevels(_:)`.
final class ListLawWorld: @unchecked Sendable {
  /// What was expected and what was there, with the last steps.
  struct Failure: Error, CustomStringConvertible {
    let round: Int
    let description: String
    /// The same for failures that are alike.
    var kind: Substring { description.prefix { $0 != ":" && $0 != "\n" } }
  }
  /// One object that steps can be about.
  final class Member {
    var id: NSManagedObjectID
    /// Held until the ID is permanent.
    var object: NSManagedObject?
    init(_ object: NSManagedObject) {
      self.object = object
      id = object.objectID
    }
  }

  let setting: ListLawSetting
  let seed: UInt64
  let isSQLite: Bool
  let coordinator: NSPersistentStoreCoordinator
  /// From the context of the coordinator down to the controller's.
  let levels: [NSManagedObjectContext]
  let context: NSManagedObjectContext
  /// A child of the controller's context.
  let below: NSManagedObjectContext
  /// Another context of the coordinator.
  let other: NSManagedObjectContext
  /// Contexts of the coordinator that keep what they have changed while others save; the first merges by
  /// itself, and its saves are crossed by those of the second.
  let stale: [NSManagedObjectContext]
  /// Objects whose members were read; their members are held by nothing.
  var held: [NSManagedObject] = []
  let controller: NSFetchedResultsController<NSManagedObject>
  let audience: any ListLawAudience
  /// By entity.
  var members: [String: [Member]] = [:]
  var names = 0
  /// What others have saved and the controller's context has not merged.
  var late: [Notification] = []
  /// Changed elsewhere since the last comparison.
  var elsewhere: Set<NSManagedObjectID> = []
  /// What the controller's context has reported since the last comparison.
  var touched: [ObjectIdentifier: NSManagedObject] = [:]
  /// What was shown at the last comparison.
  var kept: [NSManagedObject] = []
  /// Everything that is known of the present round, for a failure.
  private(set) var log: [String] = []
  let keepsLog: Bool
  /// Names by ID, for the log.
  private(set) var labels: [NSManagedObjectID: String] = [:]
  /// Whether order and section of every row are read after each event, to know what else may move.
  let watchesKeys: Bool
  private let file: URL?
  private(set) var foreignKeys: ForeignKeys?
  private var observers: [any NSObjectProtocol] = []

  init(_ setting: ListLawSetting, seed: UInt64, keepsLog: Bool = false) throws {
    self.setting = setting
    self.seed = seed
    self.keepsLog = keepsLog
    isSQLite = seed % (setting.bringsBack ? 2 : 3) == 0 || setting.mergesBatchesByHand
    watchesKeys = setting.readsRelated && seed % 2 == 0
    file =
      isSQLite
      ? FileManager.default.temporaryDirectory
        .appendingPathComponent("list-law-\(UUID().uuidString).sqlite") : nil
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
    try coordinator.addPersistentStore(
      ofType: isSQLite ? NSSQLiteStoreType : NSInMemoryStoreType,
      configurationName: nil,
      at: file,
      options: nil
    )
    foreignKeys = try file.map { try ForeignKeys($0, Self.model) }
    var levels = [Self.context(of: coordinator)]
    for _ in 0..<setting.depth { levels.append(Self.child(of: levels[levels.count - 1])) }
    self.levels = levels
    context = levels[levels.count - 1]
    below = Self.child(of: context)
    other = Self.context(of: coordinator)
    stale = (0..<2).map { [coordinator] _ in Self.context(of: coordinator) }
    let request = NSFetchRequest<NSManagedObject>(entityName: setting.entity)
    request.sortDescriptors = setting.sortDescriptors
    request.predicate = setting.predicate.map { NSPredicate(format: $0) }
    request.includesSubentities = setting.includesSubentities
    request.fetchLimit = setting.limit
    request.fetchOffset = setting.offset
    request.fetchBatchSize = setting.batchSize
    controller = NSFetchedResultsController(
      fetchRequest: request,
      managedObjectContext: context,
      sectionNameKeyPath: setting.section,
      cacheName: nil
    )
    audience =
      switch setting.form {
      case .callbacks: ListLawTable(setting, readsKeys: watchesKeys)
      case .snapshots: ListLawSnapshots()
      case .differences: ListLawDifferences()
      }
    for level in levels + [other, below] {
      level.mergePolicy =
        setting.rollsBackConflicts
        ? NSRollbackMergePolicy
        : setting.keepsStored
          ? NSMergeByPropertyStoreTrumpMergePolicy : NSMergeByPropertyObjectTrumpMergePolicy
    }
    stale[0].mergePolicy = CrossingPolicy(stale[1])
    stale[0].automaticallyMergesChangesFromParent = seed % 4 < 2
    stale[1].mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    for level in levels { level.automaticallyMergesBatchChanges = !setting.mergesBatchesByHand }
    context.automaticallyMergesChangesFromParent = setting.mergesAutomatically
    try populate()
    observe()
    try context.performAndWait {
      if setting.hasUndo { context.undoManager = UndoManager() }
      controller.delegate = audience
      try performFetch()
    }
  }

  private static func context(
    of coordinator: NSPersistentStoreCoordinator
  ) -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  private static func child(of parent: NSManagedObjectContext) -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.parent = parent
    return context
  }

  /// Ends the world; the store's file goes.
  func close() throws {
    // Merges that wait for their queues still report to this world.
    waitForQueues()
    for observer in observers { NotificationCenter.default.removeObserver(observer) }
    observers = []
    held = []
    foreignKeys = nil
    guard let file else { return }
    for store in coordinator.persistentStores { try coordinator.remove(store) }
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: file.path + suffix)
    }
  }

  private func observe() {
    let center = NotificationCenter.default
    observers = [
      center.addObserver(
        forName: .NSManagedObjectContextObjectsDidChange,
        object: context,
        queue: nil
      ) { [unowned self] in recordEvent($0) },
      center.addObserver(forName: .NSManagedObjectContextDidSave, object: other, queue: nil) {
        [unowned self] in saved($0)
      },
    ]
    for context in stale {
      observers.append(
        center.addObserver(forName: .NSManagedObjectContextDidSave, object: context, queue: nil) {
          [unowned self] in saved($0)
        }
      )
    }
    guard setting.depth > 0 else { return }
    for parent in levels.dropLast() {
      observers.append(
        center.addObserver(forName: .NSManagedObjectContextDidSave, object: parent, queue: nil) {
          [unowned self] in saved($0, above: parent)
        }
      )
    }
  }

  // MARK: The model

  static let model: NSManagedObjectModel = {
    func entity(_ name: String, _ properties: [NSPropertyDescription]) -> NSEntityDescription {
      let entity = NSEntityDescription()
      entity.name = name
      entity.properties = properties
      return entity
    }
    func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      return attribute
    }
    func link(
      _ first: NSEntityDescription,
      _ name: String,
      _ most: Int,
      _ second: NSEntityDescription,
      _ inverseName: String?,
      _ rule: NSDeleteRule = .nullifyDeleteRule
    ) {
      let relationship = NSRelationshipDescription()
      relationship.name = name
      relationship.destinationEntity = second
      relationship.maxCount = most
      first.properties += [relationship]
      guard let inverseName else { return }
      let inverse = NSRelationshipDescription()
      inverse.name = inverseName
      inverse.destinationEntity = first
      inverse.maxCount = 0
      inverse.deleteRule = rule
      inverse.inverseRelationship = relationship
      relationship.inverseRelationship = inverse
      second.properties += [inverse]
    }
    let text = NSAttributeType.stringAttributeType
    let number = NSAttributeType.integer32AttributeType
    let nation = entity(
      "Nation",
      [
        attribute("name", text), attribute("zone", text), attribute("wins", number),
        attribute("score", .doubleAttributeType), attribute("note", text),
      ]
    )
    let champion = entity("Champion", [attribute("titles", number)])
    nation.subentities = [champion]
    let zone = entity("Zone", [attribute("label", text), attribute("note", text)])
    let region = entity("Region", [attribute("label", text)])
    let tag = entity("Tag", [attribute("name", text)])
    let judge = entity("Judge", [attribute("grade", number)])
    link(nation, "home", 1, zone, "nations")
    link(zone, "region", 1, region, "zones", .cascadeDeleteRule)
    link(nation, "tags", 0, tag, "nations")
    link(nation, "judge", 1, judge, nil)
    let model = NSManagedObjectModel()
    model.entities = [nation, champion, zone, region, tag, judge]
    return model
  }()

  private func populate() throws {
    var random = RandomSteps(state: seed &* 31)
    try levels[0].performAndWait {
      let root = levels[0]
      for index in 0..<3 { make("Judge", root).setValue(index + 1, forKey: "grade") }
      for index in 0..<3 { make("Region", root).setValue("R\(index)", forKey: "label") }
      for index in 0..<3 { make("Tag", root).setValue("T\(index)", forKey: "name") }
      let zones = max(4, setting.entity == "Zone" ? setting.count : setting.count / 12)
      for _ in 0..<zones { insertZone(root, &random) }
      for _ in 0..<setting.count { insertNation(root, &random) }
      try root.save()
      replaceTemporaryIDs()
      try label()
      root.reset()
    }
  }

  // MARK: Rounds

  /// Plays the rounds; steps that `skipping` has, by round times 1000 and number, are left out.
  ///
  /// - Throws: `Failure` for the first thing that is not as the law says.
  func play(_ rounds: Int, skipping: Set<Int> = []) throws {
    for round in 0..<rounds {
      do {
        try play(round: round, skipping)
      } catch {
        throw Failure(round: round, description: "\(error)")
      }
    }
  }

  private func play(round: Int, _ skipping: Set<Int>) throws {
    let start = log.count
    defer { if log.count > start { log.insert("— round \(round)", at: start) } }
    var random = RandomSteps(state: seed &* 1_000_003 &+ UInt64(round))
    let isQuiet = random.below(12) == 0
    if isQuiet {
      context.performAndWait { context.processPendingChanges() }
      try mergeLate()
      note("quiet: save")
      try context.performAndWait { try context.save() }
      replaceTemporaryIDs()
      try check(&random)
      audience.forget()
    }
    for number in 0..<random.below(setting.most) + 1 {
      var own = RandomSteps(state: random.state &+ UInt64(number) &* 0x1234_5677)
      if skipping.contains(round * 1000 + number) { continue }
      if isQuiet { try quietStep(&own) } else { try step(&own) }
    }
    waitForQueues()
    if random.below(2) == 0 { try mergeLate() }
    try check(&random)
    try checkLinks()
    if isQuiet, let telling = audience.lastTelling {
      throw Failure(round: round, description: "told of what nobody changed: \(telling)")
    }
    audience.forget()
  }

  /// Takes the names of what was just saved.
  func label() throws {
    if !keepsLog { return }
    let reader = Self.context(of: coordinator)
    try reader.performAndWait {
      for entity in ["Nation", "Zone"] {
        for object in try reader.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)) {
          labels[object.objectID] = Self.name(object)
        }
      }
    }
  }

  func note(_ text: @autoclosure () -> String) {
    if keepsLog { log.append(text()) }
  }

  func performFetch() throws {
    audience.willFetch(elsewhere)
    try controller.performFetch()
    touched = [:]
    kept = controller.fetchedObjects ?? []
    audience.reload(controller)
  }
}

/// Resolves in favour of the object, and lets another context save before the next attempt.
private final class CrossingPolicy: NSMergePolicy, @unchecked Sendable {
  // Unchecked: the context is called on its own queue.
  private weak var rival: NSManagedObjectContext?

  init(_ rival: NSManagedObjectContext) {
    self.rival = rival
    super.init(merge: .mergeByPropertyObjectTrumpMergePolicyType)
  }

  override func resolve(mergeConflicts list: [Any]) throws {
    try super.resolve(mergeConflicts: list)
    try rival?.performAndWait { try rival?.save() }
  }
}
