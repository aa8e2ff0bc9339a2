// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Compares the objects of a store before and after a migration by their values.
///
/// Two objects match if the attributes that both models share have equal values, and if the shared
/// relationships lead to objects with equal values. Each object without a match is paired with the most
/// similar unmatched object, so that the properties that differ can be reported.
struct SnapshotComparison {
  struct Difference: Equatable {
    /// The name of the object before the migration; for an added object, its name after the migration.
    let object: String
    let property: String?
    let text: String
  }

  private let shared: SharedDefinitions
  private let model: ModelDefinition
  private let exemptions: Set<String>

  /// Creates a comparison; `model` is the model after the migration.
  init(_ shared: SharedDefinitions, _ model: ModelDefinition, exemptions: Set<String>) {
    self.shared = shared
    self.model = model
    self.exemptions = exemptions
  }

  private struct Record {
    let object: String
    /// Name of a compared property in the new model → value as text; for a relationship, the values of its
    /// destinations.
    let values: [String: String]
    var key: String {
      values.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: "\n")
    }
    var number: Substring? { object.split(separator: "/").last }
  }

  func differences(_ before: StoreSnapshot, _ after: StoreSnapshot) -> [Difference] {
    shared.entities.sorted { $0.key < $1.key }.flatMap { old, new -> [Difference] in
      guard !exemptions.contains(new), let entity = model.entity(named: new) else { return [] }
      let names = properties(of: old, entity)
      let olds = before.objects(of: old).map { record($0, names, before, isOld: true) }
      let same = Dictionary(uniqueKeysWithValues: names.values.map { ($0, $0) })
      let news = after.objects(of: new).map { record($0, same, after, isOld: false) }
      return differences(olds, news)
    }
  }

  /// Returns the new names of the compared properties, by old name.
  private func properties(of old: String, _ entity: EntityDefinition) -> [String: String] {
    (shared.properties[old] ?? [:]).filter { _, name in
      guard let property = entity.property(named: name) else { return false }
      let owner = model.entities[property.declaringEntity].name
      if exemptions.contains("\(entity.name).\(name)") || exemptions.contains("\(owner).\(name)") {
        return false
      }
      guard let relationship = property.relationship else { return true }
      return model.entities[relationship.destination].family
        .allSatisfy { !exemptions.contains(model.entities[$0].name) }
    }
  }

  // MARK: Records

  private func record(
    _ object: StoreSnapshot.Object,
    _ names: [String: String],
    _ snapshot: StoreSnapshot,
    isOld: Bool
  ) -> Record {
    var values: [String: String] = [:]
    let entity = isOld ? shared.entities[object.entity] : object.entity
    let definition = entity.flatMap(model.entity(named:))
    let old = isOld ? object.entity : shared.entities.first { $0.value == entity }?.key
    let ordered =
      old.map { old in
        Set((shared.ordered[old] ?? []).compactMap { shared.properties[old]?[$0] })
      } ?? []
    for (name, new) in names {
      guard let property = definition?.property(named: new) else { continue }
      if property.attribute != nil {
        values[new] = object.values[name] ?? Self.filling(property) ?? "nil"
        continue
      }
      var members = (object.links[name] ?? []).map { identity($0, snapshot, isOld: isOld) }
      if !ordered.contains(new) { members.sort() }
      values[new] = "[" + members.joined(separator: ", ") + "]"
    }
    return Record(object: object.name, values: values)
  }

  /// Returns the text of the default value that a migration writes where a required attribute has no value;
  /// nil if the attribute is optional or has no default value.
  private static func filling(_ property: PropertyDefinition) -> String? {
    guard !property.isOptional, let value = property.attribute?.defaultValue else { return nil }
    return switch value {
    case .bool(let flag): flag ? "1.0" : "0.0"
    case .int(let number): "\(Double(number))"
    case .double(let number), .date(let number): "\(number)"
    case .text(let text): text
    default: nil
    }
  }

  /// Returns the name of the object's new entity and the values of its shared attributes as text, which is
  /// the same before and after a migration that keeps the values.
  private func identity(_ name: String, _ snapshot: StoreSnapshot, isOld: Bool) -> String {
    guard let object = snapshot[name] else { return "nil" }
    let new = isOld ? shared.entities[object.entity] : object.entity
    guard let new, let entity = model.entity(named: new) else { return "nil" }
    let old = isOld ? object.entity : shared.entities.first { $0.value == new }?.key
    guard let old else { return new }
    let names = properties(of: old, entity).filter {
      entity.property(named: $0.value)?.attribute != nil
    }
    let values = names.map { oldName, newName in
      let value = object.values[isOld ? oldName : newName]
      let filling = entity.property(named: newName).flatMap(Self.filling)
      return "\(newName)=\(value ?? filling ?? "nil")"
    }
    return "\(new)(\(values.sorted().joined(separator: " ")))"
  }

  // MARK: Comparison

  private func differences(_ olds: [Record], _ news: [Record]) -> [Difference] {
    var unmatched = Dictionary(grouping: news, by: \.key)
    var missing: [Record] = []
    for old in olds {
      if unmatched[old.key]?.popLast() == nil { missing.append(old) }
    }
    var left = unmatched.values.flatMap(\.self)
    var found: [Difference] = []
    for old in missing {
      guard let index = nearest(old, left) else {
        found.append(Difference(object: old.object, property: nil, text: "the object is missing"))
        continue
      }
      let new = left.remove(at: index)
      for (property, value) in old.values.sorted(by: { $0.key < $1.key }) {
        let now = new.values[property] ?? "nil"
        if now == value { continue }
        let text = "\(now) instead of \(value)"
        found.append(Difference(object: old.object, property: property, text: text))
      }
    }
    return found
      + left.map {
        Difference(
          object: $0.object,
          property: nil,
          text: "the object did not exist before the migration"
        )
      }
  }

  /// Returns the index of the record that has the most values in common with `old`.
  ///
  /// Among records with equally many such values, a record with the same primary key is preferred.
  private func nearest(_ old: Record, _ news: [Record]) -> Int? {
    news.indices.max { score(old, news[$0]) < score(old, news[$1]) }
  }

  private func score(_ old: Record, _ new: Record) -> Int {
    let equal = old.values.count { new.values[$0.key] == $0.value }
    return equal * 2 + (old.number == new.number ? 1 : 0)
  }
}
