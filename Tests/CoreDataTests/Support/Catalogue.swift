// SPDX-License-Identifier: Apache-2.0

import CoreData

/// A model with an attribute of every type: items of a group, with an owner; parts are items too.
enum Catalogue {
  /// The numbers of all widths, by name.
  static let numbers = ["small", "medium", "large", "exact", "real", "single", "flag"]
  /// The attributes that have a smallest value.
  static let ordered = numbers + ["text", "date"]

  static func model() -> NSManagedObjectModel {
    let item = NSEntityDescription()
    item.name = "Item"
    let types: [(String, NSAttributeType)] = [
      ("small", .integer16AttributeType), ("medium", .integer32AttributeType),
      ("large", .integer64AttributeType), ("exact", .decimalAttributeType),
      ("real", .doubleAttributeType), ("single", .floatAttributeType),
      ("flag", .booleanAttributeType), ("text", .stringAttributeType), ("date", .dateAttributeType),
      ("id", .UUIDAttributeType), ("link", .URIAttributeType), ("bytes", .binaryDataAttributeType),
      ("file", .binaryDataAttributeType), ("object", .transformableAttributeType),
    ]
    item.properties = types.map { name, type in
      let attribute = NSAttributeDescription()
      attribute.name = name
      attribute.attributeType = type
      attribute.allowsExternalBinaryDataStorage = name == "file"
      return attribute
    }
    item.attributesByName["medium"]?.defaultValue = 7
    let part = NSEntityDescription()
    part.name = "Part"
    let note = NSAttributeDescription()
    note.name = "note"
    note.attributeType = .stringAttributeType
    part.properties = [note]
    item.subentities = [part]
    let owner = NSEntityDescription()
    owner.name = "Owner"
    let name = NSAttributeDescription()
    name.name = "name"
    name.attributeType = .stringAttributeType
    let items = NSRelationshipDescription()
    items.name = "items"
    items.destinationEntity = item
    items.maxCount = 0
    let toOwner = NSRelationshipDescription()
    toOwner.name = "owner"
    toOwner.destinationEntity = owner
    toOwner.maxCount = 1
    items.inverseRelationship = toOwner
    toOwner.inverseRelationship = items
    owner.properties = [name, items]
    item.properties += [toOwner]
    let model = NSManagedObjectModel()
    model.entities = [item, part, owner]
    return model
  }

  /// The values of a random item; about a quarter of them are missing.
  static func values(_ random: inout RandomSteps) -> [String: Any] {
    var values: [String: Any] = [:]
    func set(_ key: String, _ value: Any, _ random: inout RandomSteps) {
      if random.below(4) > 0 { values[key] = value }
    }
    let number = random.below(6) - 2
    set("small", number, &random)
    set("medium", number * 100_000, &random)
    set("large", Int64(number) * 10_000_000_000, &random)
    let exact = NSDecimalNumber(
      mantissa: UInt64(random.below(500)),
      exponent: -2,
      isNegative: number < 0
    )
    set("exact", exact, &random)
    set("real", Double(number) / 4, &random)
    set("single", Float(number) / 8, &random)
    set("flag", number > 0, &random)
    set("text", ["", "a", "A", "é", "e\u{301}", "b"][random.below(6)], &random)
    set("date", Date(timeIntervalSinceReferenceDate: Double(number) + 0.5), &random)
    let digits = "0000000\(abs(number))"
    set("id", UUID(uuidString: "\(digits)-0000-0000-0000-000000000000") ?? UUID(), &random)
    if let link = URL(string: "https://example.org/\(number)") { set("link", link, &random) }
    set("bytes", Data([UInt8(abs(number))]), &random)
    set("file", Data(repeating: 1, count: random.below(2) * 200_000), &random)
    set("object", ["n", "\(number)"] as NSArray, &random)
    return values
  }
}
