// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import _CoreDataModel

/// Reads records into a store: new objects are inserted, those with a known natural key updated.
///
/// Objects are made first and related as soon as what they lead to is there; what was not there in time is
/// related in a second reading of the file. Records whose mandatory relationships lead in circles are made
/// before they are related; that nothing of them is missing in the end is counted. Every block is saved
/// and forgotten, so that memory holds a block, eight bytes a record, and the names of records that go by
/// `$id`.
package final class Importer {
  /// What is done with values that the model does not know.
  package struct Options: Sendable {
    package var ignoresUnknown = false
    package init() {}
  }

  let opened: OpenedStore
  let keys: NaturalKeys
  let file: RecordFile
  let options: Options
  let context: NSManagedObjectContext
  var report = ImportReport()
  /// Record → the key of the object made of it, 0 before it is made.
  var made: [UInt64] = []
  /// `$id` → the object's key.
  var byID: [String: UInt64] = [:]
  /// Records whose relationships are still to be set.
  var unrelated: Set<Int> = []
  /// Records that wait for the object of a mandatory to-one.
  var waiting: Set<Int> = []
  private var progress: (ImportProgress) -> Void = { _ in }
  private var reading = 0
  /// Set once records were made without the mandatory to-ones that they have.
  private var toOnes: RelationshipCheck?
  /// The entity that the file is named after, as an export to a folder does; nil where there is none.
  private(set) lazy var entityOfFile: String? = {
    let name = file.url.deletingPathExtension().lastPathComponent
    if let entity = opened.model.entity(named: name) { return entity.name }
    let renamed = opened.model.entities.filter { $0.renamingIdentifier == name }
    return renamed.count == 1 ? renamed[0].name : nil
  }()

  /// Records in a block.
  static let blockSize = 500
  /// What a store's history says of who inserted and changed the objects.
  package static let author = "coredata import"

  package init(_ opened: OpenedStore, file: RecordFile, keys: NaturalKeys, options: Options) {
    self.opened = opened
    self.file = file
    self.keys = keys
    self.options = options
    context = opened.newContext()
    context.transactionAuthor = Self.author
  }

  /// One record, checked against the model.
  struct Item {
    let number: Int
    let line: Int
    let id: String?
    let entity: EntityDefinition
    /// Slot → value of the attribute's type.
    var attributes: [(Int, Value)] = []
    /// Slot → what it leads to, one for a to-one.
    var references: [(slot: Int, targets: [Reference])] = []
    /// The text of its natural key.
    var key: String?
  }

  /// How a record names another object.
  enum Reference: Hashable {
    case id(String)
    case key(scope: Int, text: String, shown: String)

    var shown: String {
      switch self {
      case .id(let id): id
      case .key(_, _, let shown): shown
      }
    }

    /// Without what is said of it to people.
    var unshown: Reference {
      switch self {
      case .id: self
      case .key(let scope, let text, _): .key(scope: scope, text: text, shown: "")
      }
    }
  }

  /// Imports the whole file.
  ///
  /// `progress` is told of every block. Blocks that were saved before an error stay; an
  /// import that is run again updates them.
  /// - Throws: `ToolError` with file and line; validation errors of a save.
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
        if waiting == before { try breakCircles(of: before) }
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
    try toManys.finish(context)
    try toOnes?.finish(context)
    return report
  }

  /// Makes records that need each other before they are related.
  private func breakCircles(of records: Set<Int>) throws {
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

  /// Reads the file and hands over blocks of the records that are wanted.
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

  /// What mandatory to-ones of these records lead to, and neither the store nor a promise has; nil where
  /// there is nothing.
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
          lines.append(
            "\(place(item.line)): \(item.entity.name)."
              + "\(item.entity.properties[reference.slot].name) leads to "
              + "\(lost.map(\.shown).joined(separator: ", ")), which is not there"
          )
        }
      }
      context.reset()
    }
    if lines.isEmpty { return nil }
    return ToolError(
      lines.prefix(5).joined(separator: "\n"),
      hint: "Add these objects, or make it optional."
    )
  }

  func isMandatory(_ slot: Int, of entity: EntityDefinition) -> Bool {
    !entity.properties[slot].isOptional && entity.properties[slot].isToOne
  }

  /// The ID of a key that `made` or `byID` holds.
  func id(of key: UInt64) throws -> NSManagedObjectID {
    let key = ObjectKey(raw: key)
    let name = opened.model.entities[key.entity].name
    guard let entity = opened.coordinator.managedObjectModel.entitiesByName[name] else {
      throw ToolError("there is no entity “\(name)”")
    }
    return NSManagedObjectID(key: key, entity: entity, store: opened.store)
  }

  func place(_ line: Int) -> String { "\(file.name):\(line)" }

  /// Saves the block and forgets its objects.
  func save(_ line: Int) throws {
    do {
      try context.save()
    } catch {
      throw ToolError("\(place(line)): the block that ends here: \(ToolError(error).message)")
    }
    context.reset()
  }
}
