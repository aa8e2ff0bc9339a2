// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import _CoreDataModel

/// Imports records into a store: inserts new objects, and updates objects whose natural key is already in the
/// store.
///
/// A relationship is set immediately if all its destinations exist; otherwise, it is set in a later reading
/// of the file. If mandatory to-ones form a cycle, objects are first created without these to-ones; at the
/// end, the import fails if more objects than before lack a mandatory to-one. Objects are saved and released
/// in blocks. Only one block, eight bytes for each record, the `$id`s, and the indices of unfinished records
/// are in memory.
package final class Importer {
  /// The options of an import.
  package struct Options: Sendable {
    /// Whether unknown properties and elements in records are skipped; otherwise they are errors.
    package var ignoresUnknown = false
    /// Whether the store is temporary and is discarded after an error; error texts then say that nothing was
    /// written.
    package var discardsChanges = false
    package init() {}
  }

  let opened: OpenedStore
  let keys: NaturalKeys
  let file: RecordFile
  let options: Options
  let context: NSManagedObjectContext
  var report = ImportReport()
  /// Index of the record → the raw key of its object; 0 until the object is saved.
  var made: [UInt64] = []
  /// `$id` of the record → the raw key of its object.
  var byID: [String: UInt64] = [:]
  /// The indices of the records with relationships that are not set yet.
  var unrelated: Set<Int> = []
  /// The indices of the records that are not imported yet, because the destination of a mandatory to-one is
  /// missing.
  var waiting: Set<Int> = []
  private var progress: (ImportProgress) -> Void = { _ in }
  private var reading = 0
  /// The final check of mandatory to-ones; nil unless objects were created without their mandatory to-ones.
  private var toOnes: RelationshipCheck?
  /// The name of the entity that has the same name as the file or, if there is no such entity, of the only
  /// entity whose renaming identifier is the file's name; nil if neither exists.
  ///
  /// An export to a folder names each file after an entity.
  private(set) lazy var entityOfFile: String? = {
    let name = file.url.deletingPathExtension().lastPathComponent
    if let entity = opened.model.entity(named: name) { return entity.name }
    let renamed = opened.model.entities.filter { $0.renamingIdentifier == name }
    return renamed.count == 1 ? renamed[0].name : nil
  }()

  static let blockSize = 500
  /// The author of the import's transactions in the persistent history.
  package static let author = "coredata import"

  package init(_ opened: OpenedStore, file: RecordFile, keys: NaturalKeys, options: Options) {
    self.opened = opened
    self.file = file
    self.keys = keys
    self.options = options
    context = opened.newContext()
    context.transactionAuthor = Self.author
  }

  /// A record that has been checked against the model.
  struct Item {
    let number: Int
    let line: Int
    let id: String?
    let entity: EntityDefinition
    /// Slot → value, converted to the attribute's type.
    var attributes: [(Int, Value)] = []
    /// Slot of the relationship → destinations; at most one for a to-one.
    var references: [(slot: Int, targets: [Reference])] = []
    /// The text of the natural key; nil if the entity has no natural key or a value of the key is null.
    var key: String?
  }

  /// A reference in a record to an object: its `$id` or its natural key.
  enum Reference: Hashable {
    case id(String)
    case key(scope: Int, text: String, shown: String)

    /// The reference without the text for errors, so that references to the same object are equal.
    var unshown: Reference {
      switch self {
      case .id: self
      case .key(let scope, let text, _): .key(scope: scope, text: text, shown: "")
      }
    }
  }

  /// Imports the whole file.
  ///
  /// `progress` is called before the first record of each reading, and then every 500 records. After an
  /// error, the blocks saved so far stay in the store. If the file is imported again, objects with a natural
  /// key are updated, and all other objects are inserted a second time.
  /// - Throws: `ToolError`, with file and line for an error in a record; the errors of a fetch and of
  ///   `RecordFile`.
  package func run(progress: @escaping (ImportProgress) -> Void = { _ in }) throws -> ImportReport {
    self.progress = progress
    context.postponedRules = [.toManys, .transients]
    let toManys = try RelationshipCheck(.toManys, context, opened.model)
    try context.performAndWait {
      try pass { _ in
        true
      } work: {
        try make($0)
      }
      while !waiting.isEmpty {
        let before = waiting
        waiting = []
        try pass {
          before.contains($0)
        } work: {
          try make($0)
        }
        if waiting == before { try breakCycles(of: before) }
      }
      if !unrelated.isEmpty {
        let late = unrelated
        try pass {
          late.contains($0)
        } work: {
          try relate($0)
        }
      }
    }
    let advice = hint("Correct the records.")
    try toManys.finish(context, hint: advice)
    try toOnes?.finish(context, hint: advice)
    return report
  }

  /// Creates the objects of the waiting records without their mandatory to-ones, because these to-ones form a
  /// cycle.
  ///
  /// - Throws: `ToolError` if a destination is neither in these records nor in the store.
  private func breakCycles(of records: Set<Int>) throws {
    var promised: Set<Reference> = []
    try pass {
      records.contains($0)
    } work: { items in
      for item in items {
        if let id = item.id { promised.insert(.id(id)) }
        if let key = item.key, let natural = keys.key(of: item.entity.index) {
          promised.insert(.key(scope: natural.scope, text: key, shown: ""))
        }
      }
    }
    let lacking = try unresolved(records, promised)
    if let lacking { throw lacking }
    toOnes = try RelationshipCheck(.toOnes, context, opened.model)
    context.postponedRules.insert(.toOnes)
    waiting = []
    try pass {
      records.contains($0)
    } work: {
      try make($0)
    }
  }

  /// Reads the file, and calls `work` with blocks of the records for which `wants` returns true.
  private func pass(_ wants: (Int) -> Bool, work: ([Item]) throws -> Void) throws {
    var block: [Item] = []
    reading += 1
    try file.forEach { number, part in
      progress(ImportProgress(reading: reading, records: number, fraction: part))
    } _: { number, record in
      if number == made.count { made.append(0) }
      if !wants(number) { return }
      block.append(try item(number, record))
      if block.count == Self.blockSize {
        try work(block)
        block = []
      }
    }
    if !block.isEmpty { try work(block) }
  }

  /// Returns an error if a mandatory to-one of these records has a destination that is neither in the store
  /// nor in `promised`; otherwise, returns nil.
  private func unresolved(
    _ numbers: Set<Int>,
    _ promised: Set<Reference>
  ) throws -> ToolError? {
    var lines: [String] = []
    try pass {
      numbers.contains($0) && lines.count < 5
    } work: { items in
      let targets = try targets(of: items, [:])
      for item in items {
        for reference in item.references where isMandatory(reference.slot, of: item.entity) {
          let lost = reference.targets.filter { target in
            !promised.contains(target.unshown) && object(target, [:], targets) == nil
          }
          if lost.isEmpty { continue }
          lines.append(lacking(lost, reference.slot, of: item))
        }
      }
      context.reset()
    }
    if lines.isEmpty { return nil }
    return ToolError(
      Self.lines(lines),
      hint: hint("Add the missing objects, or make the relationships optional.")
    )
  }

  func isMandatory(_ slot: Int, of entity: EntityDefinition) -> Bool {
    !entity.properties[slot].isOptional && entity.properties[slot].isToOne
  }

  func id(of key: UInt64) throws -> NSManagedObjectID {
    let key = ObjectKey(raw: key)
    let name = opened.model.entities[key.entity].name
    guard let entity = opened.coordinator.managedObjectModel.entitiesByName[name] else {
      throw ToolError(
        "internal error: the store's coordinator has no entity “\(name)”; please report this error"
      )
    }
    return NSManagedObjectID(key: key, entity: entity, store: opened.store)
  }

  func location(_ line: Int) -> String { "\(file.name):\(line)" }

  /// Saves the relationships of a block, and resets the context.
  ///
  /// An error names `line`, on which the last record of the block ends.
  func save(_ line: Int) throws {
    do {
      try context.save()
    } catch {
      throw ToolError(
        "\(location(line)): the relationships of the block of records that ends on this line cannot be "
          + "saved: \(ToolError(error).message)",
        hint: hint("Correct the records.")
      )
    }
    context.reset()
  }
}
