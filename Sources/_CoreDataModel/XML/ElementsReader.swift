// SPDX-License-Identifier: Apache-2.0

/// Converts a binary `elements` file, the format of tools before Xcode 4, to the XML elements of a `contents`
/// file.
///
/// An `elements` file is a keyed archive of the objects of the model editor. Each object has stereotypes,
/// which map words such as `XD_PSK_elementID` to setting objects. The default value of a setting object
/// becomes the value of an XML attribute. The archive is untrusted: no archived class is instantiated, and
/// `budget` bounds time and memory.
/// Source: observed, nine files of public repositories. These files contain neither fetched properties nor
/// configurations. A fetched property is therefore an error, and the members of a configuration are assumed
/// to be entities.
struct ElementsReader {
  let archive: KeyedArchive
  /// The remaining work, counted in bytes and collection members; `spend(_:)` throws an error if too little
  /// is left.
  private var budget = limit
  private static let limit = 4_000_000

  static func root(of archive: KeyedArchive) throws -> MarkupElement {
    var reader = ElementsReader(archive: archive)
    return try reader.model()
  }

  private init(archive: KeyedArchive) { self.archive = archive }

  private mutating func model() throws -> MarkupElement {
    let root = try archive.root(ofClass: "XDPMModel", content: "a model's elements")
    guard let package = archive[root["_xd_rootPackage"]] else {
      throw ModelError(reason: "the archived model has no field _xd_rootPackage")
    }
    var model = try element("model")
    model["userDefinedModelVersionIdentifier"] = try text(root["_modelVersionIdentifier"])
    for (name, field) in try sorted(package["XDBucketForClassesstorage"]) {
      let (entity, requests) = try entity(name, archive[field])
      model.children.append(entity)
      model.children += requests
    }
    for (name, field) in try sorted(root["_configurationsByName"]) {
      var configuration = try element("configuration", ["name": name])
      for member in try members(field) {
        let attributes = ["name": try self.name(member) ?? ""]
        configuration.children.append(try element("memberEntity", attributes))
      }
      model.children.append(configuration)
    }
    return model
  }

  // MARK: Entities

  private mutating func entity(
    _ name: String,
    _ object: PropertyListNode?
  ) throws -> (MarkupElement, requests: [MarkupElement]) {
    guard let object else {
      throw ModelError(
        entity: name,
        reason: "the archive lists this entity, but does not contain it"
      )
    }
    guard archive.className(object) == "XDPMEntity" else {
      throw ModelError(
        entity: name,
        reason: "the archived object \(archive.mismatch(object, "XDPMEntity"))"
      )
    }
    let words = try words(of: object)
    var entity = try element("entity", ["name": name])
    entity["representedClassName"] = try text(words["XD_PSK_entityClassName"])
    if archive.flag(object["_isAbstract"]) || archive.flag(words["XD_PSK_isAbstract"]) {
      entity["isAbstract"] = "YES"
    }
    for general in try members(object["XDBucketForGeneralizationsstorage"]) {
      let parent = try self.name(archive[general]?["_general"])
      entity["parentEntity"] = parent ?? entity["parentEntity"]
    }
    entity["elementID"] = try text(words["XD_PSK_elementID"])
    entity["versionHashModifier"] = try text(words["XD_PSK_versionHashModifier"])
    for (key, field) in try sorted(object["XDBucketForOwnedAttributesstorage"]) {
      entity.children.append(try property(key, archive[field], of: name))
    }
    try addGroups(
      words["XDPMUniquenessConstraints"],
      named: ["uniquenessConstraints", "uniquenessConstraint", "constraint"],
      to: &entity
    )
    try addGroups(
      words["XDPMCompoundIndexes"],
      named: ["compoundIndexes", "compoundIndex", "index"],
      to: &entity
    )
    try addUserInfo(words["XD_PSK_userInfo"], to: &entity)
    let requests = try members(words["XD_PSK_fetchRequestsArray"]).map {
      try request(archive[$0], of: name)
    }
    return (entity, requests)
  }

  private mutating func request(
    _ object: PropertyListNode?,
    of entity: String
  ) throws -> MarkupElement {
    var request = try element("fetchRequest")
    request["name"] = try text(object?["_name"])
    request["entity"] = try name(object?["_entity"]) ?? entity
    request["predicateString"] = try text(object?["_predicateString"])
    return request
  }

  /// Adds the groups of property names in `field`, such as uniqueness constraints, to `entity` as XML
  /// elements.
  ///
  /// The archive contains each property as a name or as an object. `names` contains the names of three XML
  /// elements: the list, a group and a member.
  private mutating func addGroups(
    _ field: PropertyListNode?,
    named names: [String],
    to entity: inout MarkupElement
  ) throws {
    let groups = try members(field)
    if groups.isEmpty { return }
    var list = try element(names[0])
    for field in groups {
      var group = try element(names[1])
      for member in try members(field) {
        let value = try archive.text(member) ?? name(member) ?? ""
        group.children.append(try element(names[2], ["value": value]))
      }
      list.children.append(group)
    }
    entity.children.append(list)
  }

  // MARK: Properties

  private mutating func property(
    _ name: String,
    _ object: PropertyListNode?,
    of entity: String
  ) throws -> MarkupElement {
    guard let object else {
      throw ModelError(
        entity: entity,
        property: name,
        reason: "the archive lists this property, but does not contain it"
      )
    }
    let words = try words(of: object)
    var property: MarkupElement
    do {
      switch archive.className(object) {
      case "XDPMAttribute": property = try attribute(words)
      case "XDPMRelationship": property = try relationship(words)
      case let kind:
        throw ModelError(
          reason: kind.map { "properties of the class \($0) are not supported" }
            ?? "the archived object has no class; XDPMAttribute or XDPMRelationship is expected"
        )
      }
    } catch var error as ModelError {
      error.entity = entity
      error.property = name
      throw error
    }
    property["name"] = name
    set("optional", words["XD_PPSK_isOptional"], in: &property)
    set("transient", words["XD_PPSK_isTransient"], in: &property)
    set("spotlightIndexingEnabled", words["XD_PPSK_isSpotlightIndexed"], in: &property)
    property["elementID"] = try text(words["XD_PPSK_elementID"])
    property["versionHashModifier"] = try text(words["XD_PPSK_versionHashModifier"])
    try addUserInfo(words["XD_PPSK_userInfo"], to: &property)
    return property
  }

  private mutating func attribute(_ words: [String: PropertyListNode]) throws -> MarkupElement {
    var attribute = try element("attribute")
    let number = archive.integer(words["XD_PAttK_attributeType"]) ?? 0
    guard let type = UInt(exactly: number).flatMap(AttributeType.init) else {
      throw ModelError(reason: "the attribute type \(number) is unknown")
    }
    attribute["attributeType"] = type.traits.modelFileName
    set("indexed", words["XD_PPSK_isIndexed"], in: &attribute)
    set(
      "allowsExternalBinaryDataStorage",
      words["XD_PAttK_allowsExternalBinaryDataStorage"],
      in: &attribute
    )
    for (name, word) in [
      ("defaultValueString", "XD_PAttK_defaultValueAsString"),
      ("minValueString", "XD_PAttK_minValueString"),
      ("maxValueString", "XD_PAttK_maxValueString"),
      ("regularExpressionString", "XD_PAttK_regularExpressionString"),
      ("valueTransformerName", "XD_PAttK_valueTransformerName"),
    ] {
      attribute[name] = try text(words[word])
    }
    return attribute
  }

  private mutating func relationship(_ words: [String: PropertyListNode]) throws -> MarkupElement {
    var relationship = try element("relationship")
    set("toMany", words["XD_PRK_isToMany"], in: &relationship)
    set("ordered", words["XD_PRK_ordered"], in: &relationship)
    relationship["minCount"] = archive.integer(words["XD_PRK_minCount"]).map(String.init)
    relationship["maxCount"] = archive.integer(words["XD_PRK_maxCount"]).map(String.init)
    if let number = archive.integer(words["XD_PRK_deleteRule"]) {
      guard let rule = UInt(exactly: number).flatMap(DeleteRule.init) else {
        throw ModelError(reason: "the delete rule \(number) is unknown")
      }
      relationship["deletionRule"] = rule.modelFileName
    }
    relationship["destinationEntity"] = try name(words["XD_PRK_destination"])
    let inverse = archive[words["XD_PRK_inverseRelationship"]]
    relationship["inverseName"] = try text(inverse?["_name"])
    relationship["inverseEntity"] = try name(inverse?["_owner"])
    return relationship
  }

  // MARK: Parts

  /// Returns the values in all stereotypes of an entity or property, keyed by words such as
  /// `XD_PSK_elementID`.
  private mutating func words(
    of object: PropertyListNode
  ) throws -> [String: PropertyListNode] {
    var words: [String: PropertyListNode] = [:]
    for (_, stereotype) in try sorted(object["XDBucketForStereotypesstorage"]) {
      let entries = archive.entries(archive[stereotype]?["XDBucketForOwnedAttributesstorage"])
      try spend(entries.count)
      for (word, field) in entries {
        words[word] = archive[field]?["_default"]
      }
    }
    return words
  }

  /// Adds the user info to `owner`; only entries whose value is a string, an integer or a Boolean are added.
  private mutating func addUserInfo(
    _ field: PropertyListNode?,
    to owner: inout MarkupElement
  ) throws {
    var entries: [MarkupElement] = []
    for (key, value) in try sorted(field) {
      let text = try text(value) ?? archive.integer(value).map(String.init)
      guard let text else { continue }
      entries.append(try element("entry", ["key": key, "value": text]))
    }
    if entries.isEmpty { return }
    var info = try element("userInfo")
    info.children = entries
    owner.children.append(info)
  }

  private mutating func sorted(
    _ field: PropertyListNode?
  ) throws -> [(key: String, value: PropertyListNode)] {
    let entries = archive.entries(field)
    try spend(entries.count)
    return entries.sorted { utf8Less($0.key, $1.key) }
  }

  /// Returns the members of an archived array or set, without resolving references.
  private mutating func members(_ field: PropertyListNode?) throws -> [PropertyListNode] {
    let members = archive[field]?["NS.objects"]?.array ?? []
    try spend(members.count)
    return members
  }

  private func set(
    _ name: String,
    _ field: PropertyListNode?,
    in element: inout MarkupElement
  ) {
    if archive.flag(field) { element[name] = "YES" }
  }

  private mutating func name(_ field: PropertyListNode?) throws -> String? {
    try text(archive[field]?["_name"])
  }

  private mutating func text(_ field: PropertyListNode?) throws -> String? {
    guard let text = archive.text(field) else { return nil }
    try spend(text.utf8.count)
    return text
  }

  private mutating func element(
    _ name: String,
    _ attributes: [String: String] = [:]
  ) throws -> MarkupElement {
    try spend(attributes.values.reduce(32) { $0 + $1.utf8.count })
    return MarkupElement(name: name, attributes: attributes, line: nil)
  }

  private mutating func spend(_ amount: Int) throws {
    budget -= amount
    if budget < 0 { throw ModelUnarchiver.tooLarge(limit: Self.limit) }
  }
}
