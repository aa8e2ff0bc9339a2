// SPDX-License-Identifier: Apache-2.0

/// Reads the keyed archive of a model into a draft.
///
/// The archive is untrusted: no archived class is instantiated, and `budget` bounds time and memory.
/// Sub-entities list inherited properties as copies (older model caches), as proxies (newer caches) or not at
/// all (compiled models); the draft is the same for all three.
/// Source: observed, 21 compiled models and 177 model caches.
struct ModelUnarchiver {
  let archive: KeyedArchive
  let predicates: any ArchivedPredicates
  /// The combined number of members and bytes of text that may still be read.
  var budget = limit
  private static let limit = 16_000_000

  init(archive: KeyedArchive, predicates: any ArchivedPredicates) {
    self.archive = archive
    self.predicates = predicates
  }

  mutating func draft() throws -> ModelDraft {
    let root = try archive.root(ofClass: "NSManagedObjectModel", content: "a model")
    var draft = ModelDraft()
    let entities = try unique(archive.entries(root["NSEntities"]))
    let own = try ownProperties(entities)
    for (name, field) in entities {
      draft.entities.append(try entity(name, archive[field], own[name] ?? []))
    }
    draft.versionIdentifiers = try texts(root["NSVersionIdentifiers"]).sorted(by: utf8Less)
    for (name, field) in try unique(archive.entries(root["NSConfigurations"])) {
      let members = archive.members(field)
      try spend(members.count)
      draft.configurations[name] = members.compactMap { archive.text($0["NSEntityName"]) }
        .sorted(by: utf8Less)
    }
    for (name, field) in try unique(archive.entries(root["NSFetchRequestTemplates"])) {
      do {
        draft.fetchRequestTemplates.append(try template(name, archive[field]))
      } catch let error as ModelError {
        throw ModelError(reason: "the fetch request template “\(name)”: \(error.reason)")
      }
    }
    return draft
  }

  mutating func spend(_ amount: Int) throws {
    budget -= amount
    if budget < 0 { throw Self.tooLarge(limit: Self.limit) }
  }

  static func tooLarge(limit: Int) -> ModelError {
    ModelError(
      reason:
        "the archive is too large: its members and bytes of text together exceed "
        + "\(CellText.count(limit)), where an object counts once for each reference to the object"
    )
  }

  /// Returns the entries sorted by name, because their order in an archive is arbitrary.
  ///
  /// Of several entries with the same name only the first is returned.
  mutating func unique(
    _ entries: [(key: String, value: PropertyListNode)]
  ) throws -> [(String, PropertyListNode)] {
    try spend(entries.count)
    let members = Dictionary(entries.map { ($0.key, $0.value) }) { first, _ in first }
    return members.sorted { utf8Less($0.key, $1.key) }.map { ($0.key, $0.value) }
  }

  mutating func texts(_ field: PropertyListNode?) throws -> [String] {
    let members = archive[field]?["NS.objects"]?.array ?? []
    try spend(members.count)
    return members.compactMap { archive.text($0) }
  }

  // MARK: Entities

  /// Returns the properties that each entity declares, by the entity's name.
  ///
  /// A property that an ancestor also lists is inherited, so it is left out.
  private mutating func ownProperties(
    _ entities: [(String, PropertyListNode)]
  ) throws -> [String: [(String, PropertyListNode)]] {
    var all: [String: [(String, PropertyListNode)]] = [:]
    var parents: [String: String] = [:]
    for (name, field) in entities {
      let object = archive[field]
      all[name] = try unique(archive.entries(object?["NSProperties"]))
      parents[name] = archive.text(archive[object?["NSSuperentity"]]?["NSEntityName"])
    }
    let names = all.mapValues { Set($0.map(\.0)) }
    var own: [String: [(String, PropertyListNode)]] = [:]
    for (name, properties) in all {
      var inherited: Set<String> = []
      var ancestor = parents[name]
      var seen: Set<String> = [name]
      while let next = ancestor, seen.insert(next).inserted {
        try spend(names[next]?.count ?? 0)
        inherited.formUnion(names[next] ?? [])
        ancestor = parents[next]
      }
      own[name] = properties.filter { !inherited.contains($0.0) }
    }
    return own
  }

  private mutating func entity(
    _ name: String,
    _ object: PropertyListNode?,
    _ properties: [(String, PropertyListNode)]
  ) throws -> EntityDraft {
    guard let object else {
      throw ModelError(
        entity: name,
        reason: "the archive lists this entity, but does not contain it"
      )
    }
    guard archive.className(object) == "NSEntityDescription" else {
      throw ModelError(
        entity: name,
        reason: "the archived object \(archive.mismatch(object, "NSEntityDescription"))"
      )
    }
    var draft = EntityDraft(name: name)
    let className = archive.text(object["NSClassNameForEntity"])
    draft.className = className == "NSManagedObject" ? nil : EntityDraft.className(className)
    draft.isAbstract = archive.flag(object["NSIsAbstract"])
    draft.parent = archive.text(archive[object["NSSuperentity"]]?["NSEntityName"])
    draft.versionHashModifier = archive.text(object["NSVersionHashModifier"])
    let identifier = archive.text(object["NSRenamingIdentifier"])
    draft.renamingIdentifier = identifier == name ? nil : identifier
    draft.userInfo = try userInfo(object["NSUserInfo"])
    draft.properties = try properties.map { try property($0, archive[$1], of: name) }
    for group in archive.members(object["NSUniqueTuples"]) {
      draft.uniquenessConstraints.append(try texts(group))
    }
    let indexes = archive.members(object["NSFetchIndexDescriptions"])
    try spend(indexes.count)
    draft.fetchIndexes = try indexes.map { try fetchIndex($0, of: name) }
    if indexes.isEmpty { try addOldIndexes(object, properties, to: &draft) }
    return draft
  }

  mutating func userInfo(_ field: PropertyListNode?) throws -> [String: String] {
    var entries: [String: String] = [:]
    for (key, value) in try unique(archive.entries(field)) {
      entries[key] = archive.text(value) ?? archive.integer(value).map(String.init) ?? ""
    }
    return entries
  }

  private mutating func fetchIndex(
    _ object: PropertyListNode,
    of entity: String
  ) throws -> FetchIndexDefinition {
    guard let name = archive.text(object["NSIndexName"]), !name.isEmpty else {
      throw ModelError(entity: entity, reason: "a fetch index has no name")
    }
    let parts = archive.members(object["NSIndexElements"])
    try spend(parts.count)
    let elements = try parts.map { part in
      var element = FetchIndexDefinition.Element(property: "")
      if let property = archive.text(part["NSPropertyName"]) {
        element.property = property
      } else {
        element.property =
          try located("an expression of the index “\(name)”", of: entity) {
            try $0.expression(part["NSExpression"] ?? part["NSProperty"])
          } ?? ""
        element.isExpression = true
      }
      element.isRTree = archive.integer(part["NSFetchIndexElementType"]) == 1
      element.isAscending = part["NSAscending"].map { archive.flag($0) } ?? true
      return element
    }
    return FetchIndexDefinition(
      name: name,
      elements: elements,
      partialPredicate: try located("the predicate of the index “\(name)”", of: entity) {
        try $0.predicate(object["NSPartialIndexPredicate"])
      }
    )
  }

  /// Reads the indexes of an entity from an older archive, which has no fetch index descriptions.
  ///
  /// An older archive has a flag for each indexed attribute, and a list of property names for each compound
  /// index.
  private mutating func addOldIndexes(
    _ object: PropertyListNode,
    _ properties: [(String, PropertyListNode)],
    to draft: inout EntityDraft
  ) throws {
    var groups: [[String]] = []
    for (name, field) in properties {
      let property = archive[field]
      if archive.flag(property?["NSIsIndexed"]), property?["NSAttributeType"] != nil {
        groups.append([name])
      }
    }
    for group in archive.members(object["NSCompoundIndexes"]) { groups.append(try texts(group)) }
    for names in groups where !names.isEmpty {
      draft.fetchIndexes.append(
        FetchIndexDefinition(
          name: names.joined(separator: "_"),
          elements: names.map { .init(property: $0) }
        )
      )
    }
  }

  // MARK: Predicates

  /// Runs `read`, which reads the predicate or expression that `part` names.
  ///
  /// - Throws: the error of `read` as a `ModelError` that names the entity, the property and the part.
  mutating func located(
    _ part: String,
    of entity: String? = nil,
    property: String? = nil,
    _ read: (inout ModelUnarchiver) throws -> String?
  ) throws -> String? {
    do {
      return try read(&self)
    } catch {
      let reason = (error as? ModelError)?.reason ?? "\(error)"
      throw ModelError(
        entity: entity,
        property: property,
        reason: "\(part) cannot be read: \(reason)"
      )
    }
  }

  mutating func predicate(_ field: PropertyListNode?) throws -> String? {
    guard archive[field] != nil else { return nil }
    let format = try predicates.predicate(field, in: archive)
    try spend(format.utf8.count)
    return format
  }

  mutating func expression(_ field: PropertyListNode?) throws -> String? {
    guard archive[field] != nil else { return nil }
    let format = try predicates.expression(field, in: archive)
    try spend(format.utf8.count)
    return format
  }
}
