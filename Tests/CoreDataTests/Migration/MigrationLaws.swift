// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import _CoreDataModel
import _CoreDataSQL
import _CoreDataSQLite
import _CoreDataTools

/// What holds of every store after an inferred migration.
struct MigrationLaws {
  let mapping: ModelMapping
  let before: StoreContent
  let after: StoreContent

  /// Everything that does not hold, a line each.
  func violations() -> [String] {
    var found: [String] = []
    var expected = 0
    for (name, object) in before.objects.sorted(by: { $0.key < $1.key }) {
      guard let new = renamed(name), let entity = entity(of: new) else { continue }
      expected += 1
      guard let now = after.objects[new] else {
        found.append("\(name): it is not there as \(new)")
        continue
      }
      found += values(object, now, entity).map { "\(new).\($0)" }
      found += links(object, now, entity).map { "\(new).\($0)" }
    }
    if after.objects.count != expected {
      found.append("\(after.objects.count) objects instead of \(expected)")
    }
    // Inverses that are not each other's let an application save links that only one side has.
    let known = before.oneSidedLinks(mapping.source).count
    let oneSided = after.oneSidedLinks(mapping.destination)
    return oneSided.count > known
      ? found + oneSided.map { "\($0.object).\($0.property): \($0.text)" } : found
  }

  // MARK: Names

  private func entity(of name: String) -> EntityDefinition? {
    mapping.destination.entity(ofObject: name)
  }

  private func renamed(_ name: String) -> String? { mapping.newName(of: name) }

  // MARK: Values

  private func values(
    _ object: StoreContent.Object,
    _ now: StoreContent.Object,
    _ entity: EntityDefinition
  ) -> [String] {
    entity.properties.compactMap { property in
      guard let attribute = property.attribute, !property.isTransient, attribute.derivation == nil
      else { return nil }
      let old = mapping.source(of: property.slot, in: entity.index)
      var wanted = old.flatMap { object.values[$0.name] }
      if wanted == nil, old == nil || !property.isOptional {
        wanted = Self.text(attribute.defaultValue)
      }
      let value = now.values[property.name]
      if value == wanted { return nil }
      return "\(property.name): \(value ?? "nil") instead of \(wanted ?? "nil")"
    }
  }

  private static func text(_ value: Value) -> String? {
    switch value {
    case .bool(let flag): flag ? "1.0" : "0.0"
    case .int(let number): "\(Double(number))"
    case .double(let number), .date(let number): "\(number)"
    case .decimal(let number): "\(NSDecimalNumber(decimal: number).doubleValue)"
    case .text(let text): text
    case .uuid(let uuid): "\(uuid)"
    case .url(let url): "\(url)"
    case .data(let data): data.base64EncodedString()
    default: nil
    }
  }

  // MARK: Links

  private func links(
    _ object: StoreContent.Object,
    _ now: StoreContent.Object,
    _ entity: EntityDefinition
  ) -> [String] {
    entity.properties.compactMap { property in
      guard let relationship = property.relationship,
        let old = mapping.source(of: property.slot, in: entity.index)
      else { return nil }
      let wanted = (object.links[old.name] ?? []).compactMap(renamed)
      let found = now.links[property.name] ?? []
      let isOrdered = relationship.isOrdered && old.relationship?.isOrdered == true
      let isEqual = isOrdered ? found == wanted : found.sorted() == wanted.sorted()
      // A to-many without inverse shares no member, and new inverses have to agree.
      let hadInverse = old.relationship?.inverse != nil
      let isWidened = relationship.isToMany && old.isToOne
      let canLose = relationship.inverse == nil ? hadInverse || isWidened : !hadInverse
      if isEqual || canLose && Set(found).isSubset(of: wanted) { return nil }
      return "\(property.name): \(found) instead of \(wanted)"
    }
  }
}

extension MigratedFile {
  /// What the doctor finds, without hints.
  func findings(_ model: ModelDefinition) throws -> [String] {
    try Doctor(StoreFile(path: url.path, access: .untouched), model: model).examine()
      .filter { $0.severity != .hint }.map(\.text)
  }

  /// What is wrong with the file itself: damage, and whatever differs from a new file of the model; the
  /// doctor's findings only if there were none before the migration (`wasSound`).
  func fileViolations(_ model: ModelDefinition, wasSound: Bool = true) throws -> [String] {
    let integrity = try SQLFile(url: url).texts("PRAGMA integrity_check")
    var found = integrity == ["ok"] ? [] : integrity
    let file = try StoreFile(path: url.path, access: .untouched)
    if wasSound { found += try findings(model) }
    let schema = try file.schema()
    let layout = try Layout(model: model)
    let numbers = Dictionary(
      uniqueKeysWithValues: model.entities.map { ($0.name, layout.entities[$0.index].number) }
    )
    if schema.numbers != numbers { found.append("numbers \(schema.numbers)") }
    var tables: [String: Set<String>] = [:]
    for table in layout.tables {
      tables[table.name] = Set(["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map(\.name))
    }
    for join in layout.joins { tables[join.name] = Set(join.columns) }
    let own = schema.columns.filter { $0.key.hasPrefix("Z") && !Self.bookkeeping.contains($0.key) }
    for name in Set(own.keys).union(tables.keys).sorted() where Set(own[name] ?? []) != tables[name]
    {
      found.append("\(name): \(own[name] ?? []) instead of \((tables[name] ?? []).sorted())")
    }
    found += try indexViolations(model)
    return found
  }

  private static let bookkeeping: Set<String> = ["Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE"]

  /// Indexes and triggers, but for the names of indexes, as a new file has them.
  private func indexViolations(_ model: ModelDefinition) throws -> [String] {
    let fresh = try MigratedFile()
    let options = SQLiteStoreOptions(path: fresh.url.path)
    try SQLiteStore(model: model, index: 0, options: options).close()
    func objects(_ url: URL) throws -> [String] {
      let texts = try SQLFile(url: url).texts(
        "SELECT sql FROM sqlite_master WHERE type IN ('index', 'trigger') AND sql IS NOT NULL "
          + "AND name NOT LIKE 'A%'"
      )
      return texts.map { text in
        guard text.hasPrefix("CREATE INDEX") || text.hasPrefix("CREATE UNIQUE"),
          let start = text.range(of: " INDEX "), let end = text.range(of: " ON ")
        else { return text }
        return String(text[..<start.upperBound])
          + text[end.lowerBound...].replacing("\"", with: "")
      }.sorted()
    }
    let difference = try objects(url).difference(from: objects(fresh.url))
    return difference.map { change in
      switch change {
      case .insert(_, let text, _): "not in a new file: \(text)"
      case .remove(_, let text, _): "missing: \(text)"
      }
    }
  }
}

extension ModelDefinition {
  /// The entity of an object by the object's name, as `Entity/p1`.
  func entity(ofObject name: String) -> EntityDefinition? {
    name.split(separator: "/").first.flatMap { entity(named: String($0)) }
  }
}

extension ModelMapping {
  /// The object's name in the new model; nil if its entity is removed.
  func newName(of name: String) -> String? {
    guard let old = source.entity(ofObject: name), let new = destinationEntities[old.index],
      let number = name.split(separator: "/").last
    else { return nil }
    return destination.entities[new].name + "/" + number
  }
}
