// SPDX-License-Identifier: Apache-2.0

extension ModelArchiver {
  mutating func addConstraintsAndIndexes(
    of entity: EntityDefinition,
    to fields: inout [String: PropertyListNode]
  ) {
    if !entity.ownUniquenessConstraints.isEmpty {
      fields["NSUniqueTuples"] = groups(entity.ownUniquenessConstraints)
    }
    let indexes = entity.fetchIndexes.filter { index in
      index.partialPredicate == nil && !index.elements.contains(where: \.isExpression)
    }
    if indexes.isEmpty { return }
    let compound = indexes.map { $0.elements.map(\.property) }.filter { $0.count > 1 }
    fields["NSCompoundIndexes"] = groups(compound)
    fields["NSFetchIndexDescriptions"] = builder.array(
      .mutableArray,
      indexes.map { fetchIndex($0, of: entity) }
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
  ) -> PropertyListNode {
    let place = builder.reserve()
    let elements = index.elements.map { element in
      builder.object(
        .fetchIndexElement,
        [
          "NSPropertyName": builder.text(element.property),
          "NSFetchIndexElementType": .integer(element.isRTree ? 1 : 0),
          "NSFetchIndexDescription": place, "NSAscending": .bool(element.isAscending),
        ]
      )
    }
    builder.define(
      place,
      .fetchIndex,
      [
        "NSIndexName": builder.text(index.name), "NSEntity": entities[entity.index],
        "NSPartialIndexPredicate": KeyedArchiveBuilder.null,
        "NSIndexElements": builder.array(.mutableArray, elements),
      ]
    )
    return place
  }
}
