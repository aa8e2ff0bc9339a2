// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import FixtureStores
import Testing
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataTools

/// What a save may refuse in stores that Apple's framework wrote: only what documented rules refuse.
///
/// Each refusal is listed, and the reason is worked out from the model here.
@Suite("Objects of the collection's models", .enabled(if: FixtureStore.isThere, "no shared folder"))
struct FixtureAcceptanceTests {
  @Test(
    "A new object without relationships is refused only where the model asks for some",
    arguments: FixtureStore.all
  )
  func inserted(fixture: FixtureStore) throws {
    guard let opened = try opened(fixture) else { return }
    let context = opened.context
    var tried = 0
    var expected: [Refusal] = []
    var found: [Refusal] = []
    for (number, entity) in opened.definition.entities.enumerated() where !entity.isAbstract {
      try context.performAndWait {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity.name, into: context)
        for property in entity.properties where !property.isOptional {
          guard let attribute = property.attribute, attribute.derivation == nil,
            object.value(forKey: property.name) == nil || property.isUnique(in: entity)
          else { continue }
          object.setValue(attribute.sampleValue(900_000 + number), forKey: property.name)
        }
        tried += 1
        expected += Refusal.expected(of: object, entity, isNew: true)
        found += try Refusal.ofSave(in: context, of: object, entity)
        context.reset()
      }
    }
    Refusal.compare(found, expected, "\(fixture.name): insert", of: tried)
  }

  @Test(
    "A stored object that is changed is refused only where its values break the model's rules",
    arguments: FixtureStore.all
  )
  func updated(fixture: FixtureStore) throws {
    guard let opened = try opened(fixture) else { return }
    let context = opened.context
    var tried = 0
    var expected: [Refusal] = []
    var found: [Refusal] = []
    for entity in opened.definition.entities where !entity.isAbstract {
      try context.performAndWait {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.name)
        request.includesSubentities = false
        request.fetchLimit = 1
        guard let object = try context.fetch(request).first else { return }
        let changed = entity.properties.first { property in
          property.isStored && property.attribute?.derivation == nil
            && property.attribute?.type != .transformable
            && property.attribute?.sampleValue(1) != nil
            && !property.isUnique(in: entity)
        }
        if let changed {
          object.setValue(changed.attribute?.sampleValue(7), forKey: changed.name)
        } else if let name = entity.properties.first(where: \.isStored)?.name {
          object.setValue(object.value(forKey: name), forKey: name)
        } else {
          return
        }
        tried += 1
        expected += Refusal.expected(of: object, entity, isNew: false)
        found += try Refusal.ofSave(in: context, of: object, entity)
        context.reset()
      }
    }
    Refusal.compare(found, expected, "\(fixture.name): update", of: tried)
  }

  /// Stores whose model is neither among the collection's sources nor in the store itself.
  private static let withoutModel = ["RKSeedDatabase", "kik.sqlite", "XcodeServer_1.0.0"]

  /// The store, open; nil where its model is not known, which holds of those listed and no others.
  private func opened(_ fixture: FixtureStore) throws -> OpenedFixture? {
    let opened = try OpenedFixture(fixture)
    let isKnown = !Self.withoutModel.contains { fixture.name.contains($0) }
    #expect((opened != nil) == isKnown, "\(fixture.name): a model for the store")
    return opened
  }

  /// Stores that are not as Apple's framework left them, with what is wrong in each.
  private static let unsound: [(name: String, reason: String)] = [
    ("ArtsyPartner_1.4", "Z_MAX is -1 beside rows"),
    ("ArtsyPartner_2.0", "a row of another entity's number, whose destinations are gone"),
    ("store1-27", "the users that conversations and connections lead to were taken out"),
  ]

  @Test(
    "The doctor finds nothing in a store that Apple's framework left sound",
    arguments: FixtureStore.all
  )
  func sound(fixture: FixtureStore) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = try fixture.copy(to: folder)
    guard let model = try fixture.model(storedAt: path) else { return }
    // Files of large values are not in the collection; hints are no damage, as one-sided inverses of Notes.
    let findings = try Doctor(StoreFile(path: path, access: .untouched), model: model).examine()
      .filter { $0.check != .missingFile && $0.severity != .hint }
    let isUnsound = Self.unsound.contains { fixture.name.contains($0.name) }
    #expect(findings.isEmpty != isUnsound, "\(findings.map(\.text))")
  }
}

extension PropertyDefinition {
  fileprivate func isUnique(in entity: EntityDefinition) -> Bool {
    entity.uniquenessConstraints.joined().contains(name)
  }
}

/// One rule that keeps an object from being saved.
private struct Refusal: Hashable, Comparable, CustomStringConvertible {
  let entity: String
  let property: String
  let code: Int
  var description: String { "\(entity).\(property) \(code)" }

  static func < (left: Refusal, right: Refusal) -> Bool { left.description < right.description }

  /// What the documentation says of the object's values: mandatory ones that are nil (1570), to-manys below
  /// their minimum (1580), values out of bounds (1610 to 1680).
  ///
  /// Of a stored object to-manys are not looked at, as they are unchanged.
  static func expected(
    of object: NSManagedObject,
    _ entity: EntityDefinition,
    isNew: Bool
  ) -> [Refusal] {
    entity.properties.compactMap { property in
      code(of: property, object, isNew: isNew).map {
        Refusal(entity: entity.name, property: property.name, code: $0)
      }
    }
  }

  private static func code(
    of property: PropertyDefinition,
    _ object: NSManagedObject,
    isNew: Bool
  ) -> Int? {
    if property.isFetched { return nil }
    if property.isToMany {
      let minimum = property.relationship?.minCount ?? 0
      return isNew && !property.isOptional && minimum > 0
        ? NSValidationRelationshipLacksMinimumCountError : nil
    }
    // Bytes that this program has no class for are a value, though they read as nil.
    if !isNew, property.attribute?.type == .transformable { return nil }
    guard let value = object.value(forKey: property.name) else {
      return property.isOptional ? nil : NSValidationMissingMandatoryPropertyError
    }
    return property.attribute.flatMap { boundsCode($0, value) }
  }

  private static func boundsCode(_ attribute: AttributeDefinition, _ value: Any) -> Int? {
    func number(_ bound: Value?) -> Double? {
      switch bound {
      case .int(let number)?: Double(number)
      case .double(let number)?, .date(let number)?: number
      case .decimal(let number)?: NSDecimalNumber(decimal: number).doubleValue
      default: nil
      }
    }
    let (least, most) = (number(attribute.minimum), number(attribute.maximum))
    let size: Double
    let codes: (few: Int, many: Int)
    switch value {
    case let text as String:
      size = Double(text.utf16.count)
      codes = (NSValidationStringTooShortError, NSValidationStringTooLongError)
    case let date as Date:
      size = date.timeIntervalSinceReferenceDate
      codes = (NSValidationDateTooSoonError, NSValidationDateTooLateError)
    case let number as NSNumber:
      size = number.doubleValue
      codes = (NSValidationNumberTooSmallError, NSValidationNumberTooLargeError)
    default: return nil
    }
    if let least, size < least { return codes.few }
    if let most, size > most { return codes.many }
    return nil
  }

  /// Saves, and tells which rules the save named; the context has no changes afterwards.
  static func ofSave(
    in context: NSManagedObjectContext,
    of object: NSManagedObject,
    _ entity: EntityDefinition
  ) throws -> [Refusal] {
    do {
      try context.save()
      return []
    } catch let error as NSError {
      let details = error.userInfo[NSDetailedErrorsKey] as? [NSError] ?? [error]
      return details.map { detail in
        Refusal(
          entity: entity.name,
          property: detail.userInfo[NSValidationKeyErrorKey] as? String
            ?? "\(detail.localizedDescription) \(detail.localizedFailureReason ?? "")",
          code: detail.code
        )
      }
    }
  }

  /// Expects both lists to agree, and prints how many objects were saved and each refusal.
  static func compare(
    _ found: [Refusal],
    _ expected: [Refusal],
    _ title: String,
    of tried: Int
  ) {
    func counts(_ refusals: [Refusal]) -> [Int: Int] {
      refusals.reduce(into: [:]) { $0[$1.code, default: 0] += 1 }
    }
    #expect(counts(found) == counts(expected), "\(title)")
    #expect(found.sorted() == expected.sorted(), "\(title)")
    print("\(title) of \(tried) objects, \(Set(found.map(\.entity)).count) refused")
    for refusal in found.sorted() { print("\(title) refuses \(refusal)") }
  }
}
