// SPDX-License-Identifier: Apache-2.0

extension ModelArchiver {
  mutating func templates() throws -> PropertyListNode {
    if model.fetchRequestTemplates.isEmpty { return KeyedArchiveBuilder.null }
    let sorted = model.fetchRequestTemplates.sorted { utf8Less($0.name, $1.name) }
    var members: [(String, PropertyListNode)] = []
    for template in sorted {
      let place = Place(part: "the predicate of the fetch request template “\(template.name)”")
      guard let entity = model.entity(named: template.entity) else {
        throw ModelError(
          reason: "the fetch request template “\(template.name)” "
            + Self.missingEntity(template.entity)
        )
      }
      members.append((template.name, try request(template, of: entity, place)))
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
        reason: "its fetch request " + Self.missingEntity(fetched.entityName)
      )
    }
    var template = FetchRequestTemplate(name: name, entity: fetched.entityName)
    template.predicateFormat = fetched.predicateFormat
    template.sort = fetched.sort
    template.fetchLimit = fetched.fetchLimit
    fields["NSFetchRequest"] = try request(
      template,
      of: destination,
      Place(entity: entity.name, property: name, part: "the predicate")
    )
    fields["_NSFetchRequestEntityName"] = builder.text(fetched.entityName)
    markReadOnly(&fields)
  }

  private static func missingEntity(_ name: String) -> String {
    name.isEmpty ? "names no entity" : "names the entity “\(name)”, which does not exist"
  }

  private mutating func request(
    _ template: FetchRequestTemplate,
    of entity: EntityDefinition,
    _ place: Place
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
        "NSPredicate": try predicate(template.predicateFormat, place),
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

  /// The location of a format string in the model, for the error if the string cannot be archived.
  struct Place {
    var entity: String?
    var property: String?
    /// The role of the format string, such as `the derivation expression`.
    let part: String
  }

  mutating func predicate(_ format: String?, _ place: Place) throws -> PropertyListNode {
    guard let format, !format.isEmpty else { return KeyedArchiveBuilder.null }
    do {
      return try predicates.addPredicate(format, to: &builder)
    } catch {
      throw unarchivable(format, error, place)
    }
  }

  mutating func expression(_ format: String, _ place: Place) throws -> PropertyListNode {
    if format.isEmpty { return KeyedArchiveBuilder.null }
    do {
      return try predicates.addExpression(format, to: &builder)
    } catch {
      throw unarchivable(format, error, place)
    }
  }

  private func unarchivable(_ format: String, _ error: any Error, _ place: Place) -> ModelError {
    ModelError(
      entity: place.entity,
      property: place.property,
      reason: "\(place.part), “\(format)”, cannot be archived: \(error)"
    )
  }
}
