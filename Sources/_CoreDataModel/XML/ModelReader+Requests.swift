// SPDX-License-Identifier: Apache-2.0

extension ModelReader {
  static func template(_ element: MarkupElement) throws -> FetchRequestTemplate {
    let name = try required("name", of: element, in: Location())
    let location = Location(template: name)
    let entity = try required("entity", of: element, in: location)
    var template = FetchRequestTemplate(name: name, entity: entity)
    template.predicateFormat = element["predicateString"]
    template.resultType = UInt(try count("resultType", of: element, in: location) ?? 0)
    template.fetchLimit = try count("fetchLimit", of: element, in: location) ?? 0
    template.fetchOffset = try count("fetchOffset", of: element, in: location) ?? 0
    template.fetchBatchSize = try count("fetchBatchSize", of: element, in: location) ?? 0
    template.includesSubentities =
      try flag("includeSubentities", of: element, in: location, absent: true)
    // Apple's compiler uses these defaults: a fetch of object IDs (1) does not include property values, and a
    // fetch of dictionaries (2) does not include unsaved changes.
    template.includesPropertyValues =
      try flag("includePropertyValues", of: element, in: location, absent: template.resultType != 1)
    template.includesPendingChanges =
      try flag(
        "includesPendingChanges",
        of: element,
        in: location,
        absent: template.resultType != 2
      )
    template.returnsObjectsAsFaults =
      try flag("returnObjectsAsFaults", of: element, in: location, absent: true)
    template.returnsDistinctResults = try flag("returnDistinctResults", of: element, in: location)
    return template
  }

  static func fetchIndex(
    _ element: MarkupElement,
    in location: Location
  ) throws -> FetchIndexDefinition {
    let name = try required("name", of: element, in: location)
    let elements = try element.children(named: "fetchIndexElement").map {
      try indexElement($0, ofIndex: name, in: location)
    }
    return FetchIndexDefinition(
      name: name,
      elements: elements,
      partialPredicate: element["partialIndexPredicate"]
    )
  }

  private static func indexElement(
    _ element: MarkupElement,
    ofIndex name: String,
    in location: Location
  ) throws -> FetchIndexDefinition.Element {
    var part: FetchIndexDefinition.Element
    if let property = element["property"] {
      part = .init(property: property)
    } else {
      guard let expression = element["expression"], !expression.isEmpty else {
        throw location.error(
          "an element of the index “\(name)” has neither a property nor an expression",
          at: element
        )
      }
      part = .init(property: expression)
      part.isExpression = true
    }
    switch element["type"] {
    case nil, "Binary"?: break
    case "RTree"?: part.isRTree = true
    case let type?:
      throw location.error(
        "the type “\(type)” of an element of the index “\(name)” is unknown; use Binary or RTree",
        at: element
      )
    }
    switch element["order"] {
    case nil, "ascending"?: break
    case "descending"?: part.isAscending = false
    case let order?:
      throw location.error(
        "the order “\(order)” of an element of the index “\(name)” is unknown; use ascending or "
          + "descending",
        at: element
      )
    }
    return part
  }

  /// Adds a fetch index for each `indexed` attribute and each compound index of the element.
  ///
  /// The name of an index consists of the names of its properties. No index is added if the entity already
  /// has a fetch index with that name.
  /// Source: observed, model caches from framework 847 on.
  static func addOldIndexes(
    of element: MarkupElement,
    to entity: inout EntityDraft,
    in location: Location
  ) throws {
    var groups: [[String]] = []
    for attribute in element.children(named: "attribute")
    where try flag("indexed", of: attribute, in: location) {
      groups.append([try required("name", of: attribute, in: location)])
    }
    for compound in element.children(named: "compoundIndexes") {
      for index in compound.children(named: "compoundIndex") {
        groups.append(try values(of: index, named: "index", in: location))
      }
    }
    for names in groups where !names.isEmpty {
      let name = names.joined(separator: "_")
      if entity.fetchIndexes.contains(where: { $0.name == name }) { continue }
      entity.fetchIndexes.append(
        FetchIndexDefinition(name: name, elements: names.map { .init(property: $0) })
      )
    }
  }
}
