// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// Compares what a store finds with what the evaluation in memory finds, for one world.
package struct LawRun {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }
  /// What was compared, so that a run cannot be empty without being noticed.
  package struct Tally: Sendable {
    package var compared = 0
    /// Conditions that the store evaluated wholly.
    package var said = 0
    /// Those that memory refused, where the store may answer or refuse.
    package var refused = 0
    package var ordered = 0
    package var found = 0
    package init() {}
    private init(compared: Int, said: Int, refused: Int, ordered: Int, found: Int) {
      self.compared = compared
      self.said = said
      self.refused = refused
      self.ordered = ordered
      self.found = found
    }
    package static func + (one: Tally, other: Tally) -> Tally {
      Tally(
        compared: one.compared + other.compared,
        said: one.said + other.said,
        refused: one.refused + other.refused,
        ordered: one.ordered + other.ordered,
        found: one.found + other.found
      )
    }
  }

  let seed: UInt64
  let world: LawWorld
  private var maker: LawConditions
  package private(set) var tally = Tally()

  /// Fills the store that `make` returns for a model.
  package init(seed: UInt64, _ make: (ModelDraft) throws -> LawStore) throws {
    self.seed = seed
    var random = LawRandom(state: seed)
    world = try LawWorld(&random, make)
    maker = LawConditions(world, random)
  }

  /// Compares `count` random fetches.
  package mutating func check(_ count: Int) throws {
    let entities = world.model.entities
    for _ in 0..<count {
      let entity = maker.random.pick(entities)
      var description = FetchDescription(entity: entity.index)
      description.includesSubentities = maker.random.chance(85)
      description.condition = maker.condition(for: entity)
      // A predicate of a program has entity descriptions where these conditions have the core's entities.
      if !world.subject.refuses,
        description.condition?.format.contains("KeyedEntity") == true
      {
        continue
      }
      if maker.random.chance(30) { arrange(&description, entity) }
      if maker.random.chance(20) { description.shape = .count }
      if let difference = try difference(description, counts: true) {
        throw Failure(description: report(try shrunk(description), difference))
      }
    }
  }

  private mutating func arrange(_ description: inout FetchDescription, _ entity: EntityDefinition) {
    for _ in 0..<1 + maker.random.below(3) {
      var path: [String] = []
      var owner = entity
      let ones = entity.properties.filter(\.isToOne)
      if maker.random.chance(25), !ones.isEmpty {
        let one = maker.random.pick(ones)
        path.append(one.name)
        owner = world.model.entities[one.relationship?.destination ?? 0]
      }
      path.append(maker.random.pick(owner.properties.filter { $0.attribute != nil }).name)
      let comparison: SortKey.Comparison =
        maker.random.chance(5)
        ? .opaque(OpaqueOrder { -SortKey.Comparison.standard.order($0, $1) })
        : maker.random.pick([
          .standard, .standard, .caseInsensitive, .localized, .localizedCaseInsensitive,
          .localizedStandard,
        ])
      description.order.append(
        SortKey(
          path.joined(separator: "."),
          ascending: maker.random.chance(50),
          comparison: comparison
        )
      )
    }
    if maker.random.chance(50) { description.limit = 1 + maker.random.below(6) }
    if maker.random.chance(40) { description.offset = maker.random.below(6) }
  }

  // MARK: Both sides

  /// What differs, or nil; memory's refusal allows any answer.
  private mutating func difference(
    _ description: FetchDescription,
    counts: Bool = false
  ) throws -> String? {
    guard let condition = description.condition else { return nil }
    let entity = world.model.entities[description.entity]
    let candidates = world.candidates(entity, subentities: description.includesSubentities)
    let matching: [LawObject]
    do {
      matching = try candidates.filter { try condition.evaluate(with: .object($0)) }
    } catch {
      if counts { tally.refused += 1 }
      // Whatever the answer is, it may not be a failure of the engine.
      return try engineFailure(description)
    }
    var wasSaid = false
    let found: [LawObject]
    do {
      if case .count = description.shape {
        let count = try stored(description, candidates, &wasSaid).count
        let expected = window(matching, description).count
        if counts { tally.compared += 1 }
        return count == expected ? nil : "\(count) rows in the store, \(expected) in memory"
      }
      found = try stored(description, candidates, &wasSaid).objects
    } catch let error as StoreError
      where error.message.contains("to-many key not allowed here") && error.code == .invalidRequest
    {
      if counts { tally.refused += 1 }
      return nil
    } catch {
      return "the store failed: \(error)"
    }
    if counts {
      tally.compared += 1
      tally.found += matching.count
      if wasSaid { tally.said += 1 }
      if !description.order.isEmpty { tally.ordered += 1 }
    }
    return try compare(found, matching, description)
  }

  private func engineFailure(_ description: FetchDescription) throws -> String? {
    do {
      if world.subject.refuses { _ = try world.subject.store.fetch(description) }
    } catch let error as StoreError where error.code == .engine {
      return "the engine failed: \(error) \(error.statement ?? "")"
    } catch {}
    return nil
  }

  private func compare(
    _ found: [LawObject],
    _ matching: [LawObject],
    _ description: FetchDescription
  ) throws -> String? {
    let order = SortOrder(description.order)
    let expected = window(try order.sorted(matching), description)
    let isWhole = description.limit == 0 && description.offset == 0
    let members = Set(matching.compactMap(\.objectKey))
    let keys = found.compactMap(\.objectKey)
    let isSubset = Set(keys).count == keys.count && members.isSuperset(of: keys)
    var same =
      found.count == expected.count && isSubset && (!isWhole || keys.count == members.count)
    // Rows that no key tells apart may come in any order.
    for (one, other) in zip(found, expected) where same {
      same = try order.compare(.object(one), .object(other)) == 0
    }
    if same { return nil }
    let paths = description.order.map(\.keyPath)
    return "store \(names(found, paths)), memory \(names(expected, paths))"
  }

  /// The objects' keys and the values that they are ordered by.
  private func names(_ objects: [LawObject], _ paths: [String]) -> String {
    let names = objects.map { object in
      let values = Set(paths).sorted().map { path in
        (try? Value.object(object).value(forKeyPath: path)).map { "\($0)" } ?? "?"
      }
      return ([object.objectKey.map { "\($0)" } ?? "?"] + values).joined(separator: " ")
    }
    return "[" + names.joined(separator: ", ") + "]"
  }

  private func window<Item>(_ items: [Item], _ description: FetchDescription) -> [Item] {
    let rest = items.dropFirst(description.offset)
    return Array(description.limit > 0 ? rest.prefix(description.limit) : rest)
  }

  /// What the store finds, completed as the shell completes it.
  private func stored(
    _ description: FetchDescription,
    _ candidates: [LawObject],
    _ wasSaid: inout Bool
  ) throws -> (objects: [LawObject], count: Int) {
    do {
      let result = try fetch(description, candidates)
      wasSaid = true
      return result
    } catch let error as StoreError where error.code == .inexpressible {}
    let divided = try world.subject.store.divided(description)
    var part = divided.stored
    part.shape = .keys
    var objects = try fetch(part, candidates).objects
    if let rest = divided.rest {
      let prepared = PreparedCondition(rest)
      objects = try objects.filter { try prepared.holds(for: .object($0)) }
    }
    objects = try SortOrder(divided.order).sorted(objects)
    objects = window(objects, description)
    return (objects, objects.count)
  }

  private func fetch(
    _ description: FetchDescription,
    _ candidates: [LawObject]
  ) throws -> (objects: [LawObject], count: Int) {
    var description = description
    if case .rows = description.shape, description.order.isEmpty { description.shape = .keys }
    let keys: [ObjectKey]
    switch try world.subject.store.fetch(description) {
    case .count(let count): return ([], count)
    case .keys(let found): keys = found
    case .rows(let rows):
      var found: [ObjectKey] = []
      rows.forEach { key, _, _ in found.append(key) }
      keys = found
    case .dictionaries: keys = []
    }
    let byKey = Dictionary(
      candidates.map { ($0.objectKey, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    let objects = keys.compactMap { byKey[$0] }
    if objects.count != keys.count { throw Failure(description: "rows of another entity: \(keys)") }
    return (objects, objects.count)
  }

  // MARK: Failing well

  /// A smaller request that still differs.
  private mutating func shrunk(_ description: FetchDescription) throws -> FetchDescription {
    var smallest = description
    var hasShrunk = true
    while hasShrunk {
      hasShrunk = false
      for smaller in Self.smaller(smallest) where try difference(smaller) != nil {
        smallest = smaller
        hasShrunk = true
        break
      }
    }
    return smallest
  }

  private static func smaller(_ description: FetchDescription) -> [FetchDescription] {
    var results: [FetchDescription] = []
    func add(_ change: (inout FetchDescription) -> Void) {
      var copy = description
      change(&copy)
      results.append(copy)
    }
    if !description.order.isEmpty {
      add {
        $0.order = []
        $0.limit = 0
        $0.offset = 0
      }
    }
    if let condition = description.condition {
      for part in smaller(condition) { add { $0.condition = part } }
    }
    return results
  }

  private static func smaller(_ condition: Condition) -> [Condition] {
    switch condition {
    case .not(let part): return [part] + smaller(part).map(Condition.not)
    case .and(let parts), .or(let parts):
      var results = parts
      for (index, part) in parts.enumerated() {
        for other in smaller(part) {
          var copy = parts
          copy[index] = other
          if case .and = condition { results.append(.and(copy)) } else { results.append(.or(copy)) }
        }
      }
      return results
    case .comparison(let comparison):
      return smaller(comparison.left).map {
        var copy = comparison
        copy.left = $0
        return .comparison(copy)
      }
        + smaller(comparison.right).map {
          var copy = comparison
          copy.right = $0
          return .comparison(copy)
        }
    default: return []
    }
  }

  private static func smaller(_ term: Term) -> [Term] {
    switch term {
    case .function(_, let arguments): return arguments
    case .ternary(_, let yes, let no): return [yes, no]
    case .keyPathOf(.subquery(let source, let variable, let condition), let path):
      return smaller(condition).map { .keyPathOf(.subquery(source, variable: variable, $0), path) }
    default: return []
    }
  }

  private mutating func report(_ description: FetchDescription, _ first: String) -> String {
    let entity = world.model.entities[description.entity]
    let difference = (try? difference(description)) ?? first
    let order = description.order.map {
      "\($0.keyPath) \($0.ascending ? "up" : "down") \($0.comparison)"
    }
    var lines = [
      "seed \(seed), \(entity.name)\(description.includesSubentities ? "" : " alone")",
      "condition \(description.condition?.format ?? "")",
      "order \(order) limit \(description.limit) offset \(description.offset)", difference,
    ]
    for property in entity.properties {
      let kind = property.attribute.map { "\($0.type)" }
      let relation = property.relationship.map {
        "\($0.isToMany ? "many" : "one") \(world.model.entities[$0.destination].name)"
          + ($0.isOrdered ? " ordered" : "")
      }
      lines.append("  \(property.name): \(kind ?? relation ?? "")")
    }
    if let statement = world.subject.statement(description) { lines.append(statement) }
    return lines.joined(separator: "\n")
  }
}
