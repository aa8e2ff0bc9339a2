// SPDX-License-Identifier: Apache-2.0

extension ModelDefinition {
  /// The settings of the model as sorted lines, by which tests compare models.
  ///
  /// A line begins with its subject: `Team.name: optional yes`. Settings that compiled models do not have,
  /// such as those for code generation, are left out.
  package var facts: [String] {
    var facts = versionIdentifiers.map { "model: version identifier \($0)" }
    for (name, members) in configurations {
      let names = members.map { entities[$0].name }.sorted(by: utf8Less)
      facts.append("configuration \(name): \(names.joined(separator: ", "))")
    }
    for template in fetchRequestTemplates {
      facts.append("request \(template.name): \(template.facts)")
    }
    for entity in entities { facts += self.facts(of: entity) }
    return facts.sorted(by: utf8Less)
  }

  private func facts(of entity: EntityDefinition) -> [String] {
    var facts = ["\(entity.name): entity\(entity.isAbstract ? ", abstract" : "")"]
    func add(_ name: String, _ value: String?) {
      if let value { facts.append("\(entity.name): \(name) \(value)") }
    }
    add("class", entity.className)
    add("parent", entity.parent.map { entities[$0].name })
    add("hash modifier", entity.versionHashModifier)
    add("renaming identifier", entity.renamingIdentifier)
    for (key, value) in entity.userInfo { add("note", "\(key) = \(value)") }
    for names in entity.ownUniquenessConstraints {
      add("constraint", names.joined(separator: ", "))
    }
    for index in entity.fetchIndexes {
      let elements = index.elements.map { element in
        "\(element.property)\(element.isExpression ? " (expression)" : "")"
          + "\(element.isRTree ? " R-tree" : "") \(element.isAscending ? "up" : "down")"
      }
      add(
        "index \(index.name)",
        elements.joined(separator: ", ") + (index.partialPredicate.map { " where \($0)" } ?? "")
      )
    }
    for property in entity.properties where property.declaringEntity == entity.index {
      facts += self.facts(of: property, in: entity)
    }
    return facts
  }

  private func facts(of property: PropertyDefinition, in entity: EntityDefinition) -> [String] {
    let place = "\(entity.name).\(property.name): "
    var facts: [String] = []
    func add(_ name: String, _ value: String?) {
      if let value { facts.append(place + name + " " + value) }
    }
    switch property.kind {
    case .attribute(let attribute): for (name, value) in attribute.facts { add(name, value) }
    case .relationship(let relationship):
      let destination = entities[relationship.destination]
      add("relationship to", destination.name)
      add("inverse", relationship.inverse.map { destination.properties[$0].name })
      add("count", "\(relationship.minCount) to \(relationship.maxCount)")
      add("ordered", relationship.isOrdered ? "yes" : nil)
      add("delete rule", "\(relationship.deleteRule)")
    case .fetched(let fetched):
      var request = FetchRequestTemplate(name: property.name, entity: fetched.entityName)
      request.predicateFormat = fetched.predicateFormat
      request.sort = fetched.sort
      request.fetchLimit = fetched.fetchLimit
      add("fetched", request.facts)
    }
    add("optional", property.isOptional ? "yes" : "no")
    add("transient", property.isTransient ? "yes" : nil)
    add("spotlight", property.isIndexedBySpotlight ? "yes" : nil)
    add("hash modifier", property.versionHashModifier)
    add("renaming identifier", property.renamingIdentifier)
    for (key, value) in property.userInfo { add("note", "\(key) = \(value)") }
    return facts
  }
}

extension AttributeDefinition {
  fileprivate var facts: [(String, String?)] {
    var facts: [(String, String?)] = [
      ("type", "\(type)"), ("class", customClassName),
      ("default", defaultValue.isNull ? nil : Self.text(defaultValue)),
      ("transformer", valueTransformerName), ("external", allowsExternalStorage ? "yes" : nil),
      ("kept in history", preservesValueInHistory ? "yes" : nil),
      ("minimum", minimum.map(Self.text)), ("maximum", maximum.map(Self.text)),
      ("pattern", pattern), ("derived from", derivation), ("derived where", derivationFilter),
      ("composite", compositeName),
    ]
    for element in elements {
      let place = "element \(element.path.joined(separator: ".")) "
      facts.append((place + "optional", element.isOptional ? "yes" : "no"))
      for (name, fact) in element.attribute.facts { facts.append((place + name, fact)) }
    }
    return facts
  }

  private static func text(_ value: Value) -> String {
    switch value {
    case .null: "nil"
    case .bool(let flag): "\(flag)"
    case .int(let number): "\(number)"
    case .double(let number): "\(number)"
    case .decimal(let number): "\(number)"
    case .text(let text): text
    case .date(let seconds): "\(seconds) s since 2001"
    case .data(let data): data.base64EncodedString()
    case .uuid(let uuid): uuid.uuidString
    case .url(let url): url.absoluteString
    default: "an object"
    }
  }
}

extension FetchRequestTemplate {
  fileprivate var facts: String {
    let keys = sort.map { "\($0.key) \($0.isAscending ? "up" : "down") \($0.selector)" }
    return "\(entity) where \(predicateFormat ?? "anything"), sorted by \(keys), "
      + "type \(resultType), limit \(fetchLimit), offset \(fetchOffset), batch \(fetchBatchSize), "
      + "flags \(archivedFlags)"
  }
}
