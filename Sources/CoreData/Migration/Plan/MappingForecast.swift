// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQLite

/// What a migration with a mapping model would do, computed without changing the store.
package struct MappingForecast {
  typealias Note = MigrationForecast.Note

  /// A step for each entity mapping, and notes about losses, missing values and missing policy classes.
  package let forecast: MigrationForecast

  /// Counts the objects of each mapping, the values that no expression reads, and the mandatory values that
  /// the expressions leave nil.
  ///
  /// A policy class that is missing from this program is noted as a refusal. The time is estimated by
  /// migrating a sample of the objects to a temporary file; the program's policies do not run.
  ///
  /// - Throws: the errors of opening the store and of fetches.
  /// - Complexity: reads all objects of a mapping that computes a mandatory attribute.
  package init(
    _ mappingModel: NSMappingModel,
    from source: NSManagedObjectModel,
    to destination: NSManagedObjectModel,
    store url: URL
  ) throws {
    let rates = MappingSample.rates(mappingModel, from: source, to: destination, store: url)
    let stack = MigrationStack(model: source, isSource: true)
    try stack.open(
      MigratedStore(
        type: NSSQLiteStoreType,
        url: url,
        options: [
          NSReadOnlyPersistentStoreOption: true, StoreOpener.untouchedOption: true,
          // The store may contain only the entities of one configuration of the source model.
          NSIgnorePersistentStoreVersioningOption: true,
        ]
      )
    )
    defer { stack.close() }
    let mappings = mappingModel.entityMappings ?? []
    let unknown = try UnknownColumns(StoreFile(path: url.path, access: .untouched))
      .notes(ofTablesIn: stack.model.freeze().definition)
    forecast = try stack.context.performAndWait { () throws -> MigrationForecast in
      let counts = try mappings.map { try Self.count($0, stack.context) }
      let steps = zip(mappings, zip(counts, rates)).map { mapping, numbers in
        let (rows, rate) = numbers
        let seconds = Double(rows) * rate
        return MigrationForecast.Step(text: Self.text(of: mapping), rows: rows, seconds: seconds)
      }
      var notes: [Note] = []
      for mapping in mappings {
        if let name = Self.policyName(mapping), MigrationPolicyClasses.resolve(name) == nil {
          notes.append(Self.missingPolicy(name, mapping))
        }
        notes += try MissingValues(mapping, among: mappings, to: destination, from: stack).notes()
      }
      notes += try UnreadProperties(mappings, stack.model, stack.context).notes()
      return MigrationForecast(steps: steps, notes: notes + unknown)
    }
  }

  static func policyName(_ mapping: NSEntityMapping) -> String? {
    mapping.entityMigrationPolicyClassName.flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func missingPolicy(_ name: String, _ mapping: NSEntityMapping) -> Note {
    Note(
      kind: .refusal,
      place: mapping.name ?? "",
      text: "the mapping uses the policy class “\(name)”, which this program does not have",
      count: 0,
      examples: []
    )
  }

  /// Returns a text such as `NoteToBody: Note → Body, length = $source.text.length`, which contains the
  /// expressions that do more than copy a value.
  private static func text(of mapping: NSEntityMapping) -> String {
    let direction =
      switch (mapping.sourceEntityName, mapping.destinationEntityName) {
      case (let source?, let destination?): "\(source) → \(destination)"
      case (nil, let destination?): "adds \(destination)"
      case (let source?, nil): "removes \(source)"
      case (nil, nil): "no entity"
      }
    var parts = ["\(mapping.name ?? ""): \(direction)"]
    if let policy = policyName(mapping) { parts.append("policy \(policy)") }
    for property in mapping.attributeMappings ?? [] {
      guard let name = property.name, let term = property.valueExpression?.term else { continue }
      if case .keyPathOf(.variable("source"), name) = term { continue }
      parts.append("\(name) = \(term.format)")
    }
    return parts.joined(separator: ", ")
  }

  private static func count(
    _ mapping: NSEntityMapping,
    _ context: NSManagedObjectContext
  ) throws -> Int {
    try sourceRequest(mapping).map { try context.count(for: $0) } ?? 0
  }

  /// Returns a request for the source objects of a mapping; nil if the mapping has no source entity.
  static func sourceRequest(_ mapping: NSEntityMapping) -> NSFetchRequest<NSManagedObject>? {
    guard let entity = mapping.sourceEntityName else { return nil }
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.includesSubentities = false
    let formats = mapping.sourceExpression.map { MappedNames($0.term).predicates } ?? []
    // The error is dropped: the migration reports an invalid predicate.
    if let format = formats.first, let condition = try? Condition(format: format) {
      request.predicate = NSPredicate.make(condition)
    }
    return request
  }
}

/// The entities and properties of the source that no entity mapping reads.
private struct UnreadProperties {
  typealias Note = MigrationForecast.Note

  private let mappings: [NSEntityMapping]
  private let model: NSManagedObjectModel
  private let context: NSManagedObjectContext

  init(
    _ mappings: [NSEntityMapping],
    _ model: NSManagedObjectModel,
    _ context: NSManagedObjectContext
  ) {
    self.mappings = mappings
    self.model = model
    self.context = context
  }

  func notes() throws -> [Note] {
    try model.entities.filter { !$0.isAbstract }.flatMap { entity -> [Note] in
      let own = mappings.filter { $0.sourceEntityName == entity.name }
      let name = entity.name ?? ""
      let hasPolicy = own.contains { MappingForecast.policyName($0) != nil }
      if own.allSatisfy({ $0.destinationEntityName == nil }), !hasPolicy {
        let text =
          own.isEmpty
          ? "the mapping model has no mapping for the entity"
          : "the mapping model removes the entity"
        return try [note(.loss, name, text, of: entity)].compactMap(\.self)
      }
      let read = Set(own.flatMap(Self.readProperties))
      return try entity.propertiesByName.values.sorted { utf8Less($0.name, $1.name) }
        .filter { !$0.isTransient && !read.contains($0.name) && Self.isStored($0) }
        .compactMap { property -> Note? in
          if property is NSRelationshipDescription, isRead(inverseOf: property) { return nil }
          let place = "\(name).\(property.name)"
          let text =
            hasPolicy ? "only a policy can read the property" : "no expression reads the property"
          return try note(hasPolicy ? .doubt : .loss, place, text, of: entity, property: property)
        }
    }
  }

  private static func isStored(_ property: NSPropertyDescription) -> Bool {
    if property is NSFetchedPropertyDescription { return false }
    return !(property is NSDerivedAttributeDescription)
  }

  private static func readProperties(_ mapping: NSEntityMapping) -> [String] {
    ((mapping.attributeMappings ?? []) + (mapping.relationshipMappings ?? [])).flatMap { property in
      property.valueExpression.map { MappedNames($0.term).sourceProperties } ?? []
    }
  }

  /// Whether an expression reads the inverse of a relationship.
  ///
  /// The migration then sets both relationships.
  private func isRead(inverseOf property: NSPropertyDescription) -> Bool {
    guard let inverse = (property as? NSRelationshipDescription)?.inverseRelationship else {
      return false
    }
    return mappings.contains { mapping in
      mapping.sourceEntityName == inverse.entity.name
        && Self.readProperties(mapping).contains(inverse.name)
    }
  }

  /// Returns a note with the number of the entity's objects; nil if there are no such objects.
  ///
  /// If `property` is not nil, only objects with a value for the property are counted.
  private func note(
    _ kind: Note.Kind,
    _ place: String,
    _ text: String,
    of entity: NSEntityDescription,
    property: NSPropertyDescription? = nil
  ) throws -> Note? {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
    request.includesSubentities = false
    if let property {
      let isToMany = (property as? NSRelationshipDescription)?.isToMany == true
      request.predicate =
        isToMany
        ? NSPredicate(format: "%K > 0", property.name + ".@count")
        : NSPredicate(format: "%K != nil", property.name)
    }
    let count = try context.count(for: request)
    if count == 0 { return nil }
    request.fetchLimit = 3
    let examples = try context.fetch(request).map { object in
      let key = object.objectID.uriRepresentation().lastPathComponent
      return "\(entity.name ?? "")/\(key)"
    }
    return Note(
      kind: kind,
      place: place,
      text: "\(text), and the store has \(CellText.count(count, "object")) "
        + (property == nil ? "of it" : "with a value"),
      count: count,
      examples: examples
    )
  }
}
