// SPDX-License-Identifier: Apache-2.0

extension ModelArchiver {
  mutating func addConstraintsAndIndexes(
    of entity: EntityDefinition,
    to fields: inout [String: PropertyListNode]
  ) throws {
    if !entity.ownUniquenessConstraints.isEmpty {
      fields["NSUniqueTuples"] = groups(entity.ownUniquenessConstraints)
    }
    let indexes = entity.fetchIndexes
    if indexes.isEmpty { return }
    let compound = indexes.filter { $0.elements.count > 1 && !$0.hasExpression }
      .map { $0.elements.map(\.property) }
    fields["NSCompoundIndexes"] = groups(compound)
    fields["NSFetchIndexDescriptions"] = builder.array(
      .mutableArray,
      try indexes.map { try fetchIndex($0, of: entity) }
    )
  }

  private mutating func groups(_ names: [[String]]) -> PropertyListNode {
    builder.array(
      .mutableArray,
      names.map { group in builder.array(.mutableArray, group.map { builder.text($0) }) }
    )
  }

  private mutating func fetchIndex(
    _ index: FetchIndexDefinition,
    of entity: EntityDefinition
  ) throws -> PropertyListNode {
    let place = builder.reserve()
    let elements = try index.elements.map { element in
      var fields: [String: PropertyListNode] = [
        "NSPropertyName": builder.text(element.isExpression ? nil : element.property),
        "NSFetchIndexElementType": .integer(element.isRTree ? 1 : 0),
        "NSFetchIndexDescription": place, "NSAscending": .bool(element.isAscending),
      ]
      if element.isExpression {
        fields["NSExpression"] = try expression(
          element.property,
          Place(entity: entity.name, part: "an expression of the index “\(index.name)”")
        )
      }
      return builder.object(.fetchIndexElement, fields)
    }
    builder.define(
      place,
      .fetchIndex,
      [
        "NSIndexName": builder.text(index.name), "NSEntity": entities[entity.index],
        "NSPartialIndexPredicate": try predicate(
          index.partialPredicate,
          Place(entity: entity.name, part: "the predicate of the index “\(index.name)”")
        ),
        "NSIndexElements": builder.array(.mutableArray, elements),
      ]
    )
    return place
  }
}

extension FetchIndexDefinition {
  var hasExpression: Bool { elements.contains(where: \.isExpression) }
}
