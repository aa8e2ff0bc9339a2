// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import FixtureStores
import Testing
import _CoreDataModel

/// The mapping models of apps, carried out on random data, checked against the mappings' own expressions.
@Suite("Mapping models of apps", .enabled(if: FixtureStore.isThere, "no shared folder"))
struct MappingFixtureTests {
  @Test("The models in mapping models have the version hashes of the apps' model files")
  func models() throws {
    var found = 0
    for name in MappingFixture.chosen {
      let fixture = try MappingFixture(name)
      for file in [fixture.sourceFile, fixture.destinationFile] where file != nil { found += 1 }
      for mapping in fixture.mapping.entityMappings {
        #expect((mapping.sourceEntityVersionHash == nil) == (mapping.sourceEntityName == nil))
        #expect(
          (mapping.destinationEntityVersionHash == nil) == (mapping.destinationEntityName == nil)
        )
      }
    }
    #expect(MappingFixture.names.count == 32)
    if !ModelStep.runsAll { return }
    #expect(found >= 30, "\(found) of 64 models are files of the collection")
  }

  @Test(
    "Every mapping model gives its objects the values of its expressions",
    arguments: MappingFixture.chosen
  )
  func carriedOut(_ name: String) throws {
    let fixture = try MappingFixture(name)
    fixture.usePolicy(StandInPolicy.self)
    let before = try source(fixture)
    let manager = RecordingManager(
      sourceModel: fixture.model(fixture.sourceModel),
      destinationModel: fixture.model(fixture.destinationModel)
    )
    do {
      try fixture.migrate(manager)
    } catch let error as NSError {
      // A mandatory property that the app's own policy sets, or that no mapping sets.
      let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
      let key = try #require(cause?.userInfo[NSValidationKeyErrorKey] as? String, "\(error)")
      let entity = (cause?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject)?.entity.name
      let text = error.localizedFailureReason ?? ""
      #expect(text.contains(key) && text.contains(entity ?? "?"), "\(text)")
      let model = try ModelDefinition(fixture.sourceModel)
      // A value that the source must have cannot be missing.
      let isMapped = fixture.draft.entities.contains { mapping in
        mapping.destination == entity
          && (mapping.attributes + mapping.relationships).contains {
            $0.name == key && $0.expression?.contains("$source.\(key)") == true
          }
          && model.entity(named: mapping.source ?? "")?.property(named: key)?.isOptional == false
      }
      #expect(!isMapped, "\(text)")
      if ModelStep.runsAll { print("MAPPING refused \(name): \(entity ?? "").\(key)") }
      return
    }
    let after = try StoreContent(
      fixture.context(fixture.destinationModel, fixture.destinationURL),
      ModelDefinition(fixture.destinationModel)
    )
    let law = MappingLaw(fixture, before, after, manager.pairs)
    try law.check()
    #expect(law.checked > 0 || before.objects.isEmpty)
    if ModelStep.runsAll {
      print("MAPPING done \(name): \(before.objects.count) objects, \(law.checked) values")
    }
  }

  private func source(_ fixture: MappingFixture) throws -> StoreContent {
    let context = try fixture.context(fixture.sourceModel, fixture.sourceURL)
    let model = try ModelDefinition(fixture.sourceModel)
    var content = RandomContent(
      model,
      seed: UInt64(fixture.name.utf8.reduce(7) { $0 &* 31 &+ Int($1) } & 0xFFFF)
    )
    _ = try content.fill(context)
    context.reset()
    return try StoreContent(context, model)
  }
}

/// Records which objects were made of which.
private final class RecordingManager: NSMigrationManager {
  private var recorded: [(mapping: String, source: String, destination: NSManagedObject)] = []

  override func associate(
    sourceInstance: NSManagedObject,
    withDestinationInstance destinationInstance: NSManagedObject,
    for entityMapping: NSEntityMapping
  ) {
    recorded.append((entityMapping.name, StoreContent.name(sourceInstance), destinationInstance))
    super.associate(
      sourceInstance: sourceInstance,
      withDestinationInstance: destinationInstance,
      for: entityMapping
    )
  }

  /// By the name of the mapping, the names of the destinations by the names of the sources.
  var pairs: [String: [String: String]] {
    var pairs: [String: [String: String]] = [:]
    for (mapping, source, destination) in recorded {
      pairs[mapping, default: [:]][source] = StoreContent.name(destination)
    }
    return pairs
  }
}

/// Stands in for the policies of apps: creates objects by the mapping, and has the functions that they call.
private final class StandInPolicy: NSEntityMigrationPolicy {
  override class var functions: [String: Function] {
    [
      "migrateIconURL": { _, _ in URL(string: "https://example.com/icon") },
      "migrateScreenshotURLs": { _, _ in nil },
      "migrateIdentifier": { _, _ in UUID().uuidString },
      "defaultCoreIdentifierForGameType:": { _, _ in "core" },
    ]
  }
}

/// Compares the objects of a migrated store with those of its source.
private final class MappingLaw {
  private let fixture: MappingFixture
  private let before: StoreContent
  private let after: StoreContent
  private let pairs: [String: [String: String]]
  private(set) var checked = 0

  init(
    _ fixture: MappingFixture,
    _ before: StoreContent,
    _ after: StoreContent,
    _ pairs: [String: [String: String]]
  ) {
    self.fixture = fixture
    self.before = before
    self.after = after
    self.pairs = pairs
  }

  func check() throws {
    let model = try ModelDefinition(fixture.destinationModel)
    for mapping in fixture.draft.entities {
      guard let source = mapping.source, let destination = mapping.destination,
        let entity = model.entity(named: destination)
      else { continue }
      let made = pairs[mapping.name] ?? [:]
      let sources = before.objects.keys.filter { $0.hasPrefix(source + "/") }
      if mapping.sourceExpression?.contains("TRUEPREDICATE") == true {
        #expect(Set(made.keys) == Set(sources), "\(mapping.name)")
      }
      for (source, destination) in made {
        guard let old = before.objects[source], let new = after.objects[destination] else {
          Issue.record("\(mapping.name): \(destination) of \(source) is missing")
          continue
        }
        for property in mapping.attributes {
          guard let key = Self.key(property.expression) else { continue }
          checked += 1
          #expect(
            new.values[property.name] == old.values[key],
            "\(mapping.name).\(property.name) of \(source)"
          )
        }
        for property in mapping.relationships {
          guard let target = entity.property(named: property.name)?.relationship else { continue }
          guard let expected = partners(property, of: old, to: target, model) else { continue }
          checked += 1
          let links = new.links[property.name] ?? []
          if !target.isToMany {
            #expect(
              links == Array(expected.prefix(1)),
              "\(mapping.name).\(property.name) of \(source)"
            )
          } else if losesMembers(property, mapping, target, model) {
            #expect(
              Set(links).isSubset(of: expected),
              "\(mapping.name).\(property.name) of \(source)"
            )
          } else {
            #expect(
              links.sorted() == expected.sorted(),
              "\(mapping.name).\(property.name) of \(source)"
            )
          }
        }
      }
    }
  }

  /// Whether a member of several owners has one owner now, because the inverse is a to-one now.
  private func losesMembers(
    _ property: PropertyMappingDraft,
    _ mapping: EntityMappingDraft,
    _ target: RelationshipDefinition,
    _ model: ModelDefinition
  ) -> Bool {
    guard let before = try? ModelDefinition(fixture.sourceModel),
      let old = before.entity(named: mapping.source ?? "")?.property(named: property.name)?
        .relationship,
      let oldInverse = old.inverse, let inverse = target.inverse
    else { return false }
    return before.entities[old.destination].properties[oldInverse].isToMany
      && model.entities[target.destination].properties[inverse].isToOne
  }

  /// The source key of `$source.key`.
  private static func key(_ expression: String?) -> String? {
    guard let expression, expression.hasPrefix("$source.") else { return nil }
    let key = expression.dropFirst("$source.".count)
    return key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } ? String(key) : nil
  }

  /// The names of the objects that the generated expression of a relationship gives.
  private func partners(
    _ property: PropertyMappingDraft,
    of old: StoreContent.Object,
    to target: RelationshipDefinition,
    _ model: ModelDefinition
  ) -> [String]? {
    let prefix =
      "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\", "
    guard let expression = property.expression, expression.hasPrefix(prefix),
      let key = expression.dropFirst(prefix.count).split(separator: "\"").first
    else { return nil }
    let family = model.entities[target.destination].family
    let fitting = fixture.draft.entities.filter { mapping in
      mapping.destination.flatMap { model.entity(named: $0) }.map { family.contains($0.index) }
        ?? false
    }
    var found: [String] = []
    for partner in old.links[String(key)] ?? [] {
      for mapping in fitting where partner.hasPrefix((mapping.source ?? "") + "/") {
        if let name = pairs[mapping.name]?[partner] { found.append(name) }
      }
    }
    return Array(Set(found)).sorted {
      found.firstIndex(of: $0) ?? 0 < found.firstIndex(of: $1) ?? 0
    }
  }
}
