// SPDX-License-Identifier: Apache-2.0

extension ModelArchiver {
  /// Adds the request templates by name and returns the reference; the null reference if there are no
  /// templates.
  mutating func templates() throws -> PropertyListNode {
    if model.fetchRequestTemplates.isEmpty { return KeyedArchiveBuilder.null }
    let sorted = model.fetchRequestTemplates.sorted { utf8Less($0.name, $1.name) }
    var members: [(String, PropertyListNode)] = []
    for template in sorted {
      guard let entity = model.entity(named: template.entity) else {
        throw ModelError(
          entity: template.entity,
          reason:
            "the fetch request template “\(template.name)” names this entity, which does not exist"
        )
      }
      members.append((template.name, try request(template, of: entity)))
    }
    return builder.dictionary(.mutableDictionary, members)
  }

  mutating func add(
    _ fetched: FetchedPropertyDefinition,
    of entity: EntityDefinition,
    named name: String,
    to fields: inout [String: PropertyListNode]
  ) throws {
    guard let destination = model.entity(named: fetched.entityName) else {
      throw ModelError(
        entity: entity.name,
        property: name,
        reason: "its fetch request names the entity “\(fetched.entityName)”, which does not exist"
      )
    }
    var template = FetchRequestTemplate(name: name, entity: fetched.entityName)
    template.predicateFormat = fetched.predicateFormat
    template.sort = fetched.sort
    template.fetchLimit = fetched.fetchLimit
    fields["NSFetchRequest"] = try request(template, of: destination)
    fields["_NSFetchRequestEntityName"] = builder.text(fetched.entityName)
    markReadOnly(&fields)
  }

  private mutating func request(
    _ template: FetchRequestTemplate,
    of entity: EntityDefinition
  ) throws -> PropertyListNode {
    let sort = template.sort.map { key in
      builder.object(
        .sortDescriptor,
        [
          "NSKey": builder.text(key.key), "NSAscending": .bool(key.isAscending),
          "NSSelector": builder.text(key.selector), "NSReverseNullOrder": .bool(false),
        ]
      )
    }
    return builder.object(
      .fetchRequest,
      [
        "NSEntity": entities[entity.index],
        "NSPredicate": try predicate(template.predicateFormat, of: entity),
        "NSSortDescriptors": sort.isEmpty ? KeyedArchiveBuilder.null : builder.array(.array, sort),
        "NSResultType": .integer(Int64(template.resultType)),
        "NSFetchLimit": .integer(Int64(template.fetchLimit)),
        "NSFetchOffset": .integer(Int64(template.fetchOffset)),
        "NSBatchSize": .integer(Int64(template.fetchBatchSize)),
        "NSHasFetchRequestFlags": .bool(true),
        "NSFetchRequestFlags": .integer(template.archivedFlags),
        "NSValuesToFetch": KeyedArchiveBuilder.null,
        "NSValuesToGroupBy": KeyedArchiveBuilder.null,
        "NSHavingPredicate": KeyedArchiveBuilder.null,
        "NSRelationshipKeyPathsForPrefetching": KeyedArchiveBuilder.null,
      ]
    )
  }

  // MARK: Predicates

  /// Adds the predicate of a format string; returns the null reference if the string is nil or empty.
  mutating func predicate(
    _ format: String?,
    of entity: EntityDefinition,
    property: String? = nil
  ) throws -> PropertyListNode {
    guard let format, !format.isEmpty else { return KeyedArchiveBuilder.null }
    do {
      return try predicates.addPredicate(format, to: &builder)
    } catch {
      throw unarchivable("predicate", format, error, of: entity, property: property)
    }
  }

  mutating func expression(
    _ format: String,
    of entity: EntityDefinition,
    property: String? = nil
  ) throws -> PropertyListNode {
    if format.isEmpty { return KeyedArchiveBuilder.null }
    do {
      return try predicates.addExpression(format, to: &builder)
    } catch {
      throw unarchivable("expression", format, error, of: entity, property: property)
    }
  }

  private func unarchivable(
    _ kind: String,
    _ format: String,
    _ error: any Error,
    of entity: EntityDefinition,
    property: String?
  ) -> ModelError {
    ModelError(
      entity: entity.name,
      property: property,
      reason: "the \(kind) “\(format)” cannot be archived: \(error)"
    )
  }
}
