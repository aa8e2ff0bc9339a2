// SPDX-License-Identifier: Apache-2.0

import CoreData
import FixtureStores
import _CoreDataModel
import _CoreDataSQL

/// What one save should do to a store's file, from what the context says of its objects.
///
/// Made before the save; compared after it, when new objects have their permanent IDs.
struct ExpectedChanges {
  private struct Edit {
    enum Kind { case inserted, updated, deleted }
    let object: NSManagedObject
    let entity: EntityDefinition
    let kind: Kind
    /// Names of the changed properties; all for new and deleted objects.
    let keys: Set<String>
    /// Before and after, of the to-manys that changed.
    var former: [Int: [NSManagedObject]] = [:]
    var current: [Int: [NSManagedObject]] = [:]
  }

  private let layout: Layout
  private let edits: [Edit]
  /// Rows and columns that may change, table by table: derived values, history.
  private let derived: [String: Set<String>]

  init(_ context: NSManagedObjectContext, _ editor: FixtureEditor, _ layout: Layout) throws {
    self.layout = layout
    context.processPendingChanges()
    var edits: [Edit] = []
    for object in context.insertedObjects { edits.append(try Self.edit(object, .inserted, editor)) }
    for object in context.updatedObjects { edits.append(try Self.edit(object, .updated, editor)) }
    for object in context.deletedObjects { edits.append(try Self.edit(object, .deleted, editor)) }
    self.edits = edits
    var derived: [String: Set<String>] = [:]
    for entity in layout.model.entities {
      let place = layout.entities[entity.index]
      for column in place.columns
      where entity.properties[column.slot].attribute?.derivation != nil {
        derived[place.table, default: []].insert(column.name)
      }
    }
    self.derived = derived
  }

  private static func edit(
    _ object: NSManagedObject,
    _ kind: Edit.Kind,
    _ editor: FixtureEditor
  ) throws -> Edit {
    let entity = try editor.definition(object)
    let keys =
      kind == .updated
      ? Set(object.changedValues().keys)
      : Set(entity.properties.filter { !$0.isTransient && !$0.isFetched }.map(\.name))
    var edit = Edit(object: object, entity: entity, kind: kind, keys: keys)
    for slot in entity.toManySlots where keys.contains(entity.properties[slot].name) {
      let property = entity.properties[slot]
      if kind != .inserted {
        switch object.committedValues(forKeys: [property.name])[property.name] {
        case let set as NSOrderedSet: edit.former[slot] = set.compactMap { $0 as? NSManagedObject }
        case let set as NSSet: edit.former[slot] = set.compactMap { $0 as? NSManagedObject }
        default: break
        }
      }
      if kind != .deleted { edit.current[slot] = editor.members(object, property) }
    }
    return edit
  }

  // MARK: Comparison

  /// What changed although it should not, and what did not although it should.
  func complaints(from before: FileImage, to after: FileImage) -> [String] {
    var complaints: [String] = []
    let plan = plan()
    for change in before.changes(to: after) {
      if !plan.allows(change, derived[change.table] ?? []) {
        complaints.append("should not have changed: \(change)")
      }
    }
    let changes = Dictionary(
      before.changes(to: after).map { (RowID($0.table, $0.key), $0.kind) },
      uniquingKeysWith: { first, _ in first }
    )
    for place in plan.inserted where changes[place] != .inserted {
      complaints.append("was not inserted: \(place)")
    }
    for place in plan.deleted where changes[place] != .deleted {
      complaints.append("was not deleted: \(place)")
    }
    for place in plan.newVersions {
      let old = before.tables[place.table]?[place.key]?["Z_OPT"]?.number
      let new = after.tables[place.table]?[place.key]?["Z_OPT"]?.number
      if new != (old ?? 0) + 1 { complaints.append("has version \(new ?? 0): \(place)") }
    }
    for place in plan.numbered {
      let table = layout.entities.first { "\($0.number)" == place.key }?.table ?? ""
      let highest = after.tables[table]?.keys.compactMap { Int64($0) }.max() ?? 0
      // A few files have rows beyond it.
      let old = before.tables[place.table]?[place.key]?["Z_MAX"]?.number ?? 0
      let new = after.tables[place.table]?[place.key]?["Z_MAX"]?.number ?? 0
      // After many small saves, a block of 64 keys is reserved in advance.
      if new < max(old, highest) || new >= max(old, highest) + 64 {
        complaints.append("Z_MAX is \(new): \(place)")
      }
    }
    for place in plan.inserted {
      guard let row = after.tables[place.table]?[place.key], let version = row["Z_OPT"] else {
        continue
      }
      if version != .integer(1) { complaints.append("has version \(version): \(place)") }
    }
    if before.definitions != after.definitions {
      complaints.append("definitions changed")
    }
    return complaints.sorted()
  }

  /// A row of a table.
  struct RowID: Hashable, CustomStringConvertible {
    let table: String
    let key: String
    init(_ table: String, _ key: String) {
      self.table = table
      self.key = key
    }
    var description: String { "\(table) \(key)" }
  }

  struct Plan {
    var inserted: Set<RowID> = []
    var deleted: Set<RowID> = []
    /// Rows that may go as well: pairs of a deleted object whose other half is not there.
    var deletable: [String: Set<String>] = [:]
    /// Columns that may change.
    var columns: [RowID: Set<String>] = [:]
    var newVersions: Set<RowID> = []
    /// The rows of `Z_PRIMARYKEY` of entities with new objects.
    var numbered: Set<RowID> = []

    private static let history: Set = ["ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]

    func allows(_ change: FileImage.Change, _ derived: Set<String>) -> Bool {
      // A store that tracks its history gains rows there, and numbers them under 16001 and above.
      if Self.history.contains(change.table) { return change.kind == .inserted }
      if change.table == "Z_PRIMARYKEY", (Int(change.key) ?? 0) > 16_000 {
        return change.kind == .updated(["Z_MAX"])
      }
      let place = RowID(change.table, change.key)
      switch change.kind {
      case .inserted: return inserted.contains(place)
      case .deleted:
        return deleted.contains(place)
          || deletable[change.table].map { parts in
            !parts.isDisjoint(with: change.key.components(separatedBy: ", "))
          } ?? false
      case .updated(let names):
        return names.isSubset(of: (columns[place] ?? []).union(derived))
      }
    }
  }

  private func plan() -> Plan {
    var plan = Plan()
    for edit in edits { add(edit, to: &plan) }
    return plan
  }

  private func number(_ object: NSManagedObject) -> String {
    // Apple's form: x-coredata://store/Entity/p7.
    String(object.objectID.uriRepresentation().lastPathComponent.dropFirst())
  }

  private func add(_ edit: Edit, to plan: inout Plan) {
    let place = layout.entities[edit.entity.index]
    let row = RowID(place.table, number(edit.object))
    switch edit.kind {
    case .inserted:
      plan.inserted.insert(row)
      let root = layout.entities[edit.entity.root]
      let counter = RowID("Z_PRIMARYKEY", "\(root.number)")
      plan.numbered.insert(counter)
      plan.columns[counter] = ["Z_MAX"]
    case .deleted: plan.deleted.insert(row)
    case .updated:
      if !edit.keys.isEmpty { plan.newVersions.insert(row) }
      plan.columns[row, default: []].insert("Z_OPT")
      for column in place.columns where edit.keys.contains(edit.entity.properties[column.slot].name)
      {
        let names = [column.name, column.entityColumn, column.orderColumn].compactMap(\.self)
        plan.columns[row, default: []].formUnion(names)
      }
    }
    for slot in edit.entity.toManySlots {
      guard let members = place.members[slot],
        edit.keys.contains(edit.entity.properties[slot].name)
      else { continue }
      add(edit, slot, members, to: &plan)
    }
  }

  private func add(_ edit: Edit, _ slot: Int, _ members: MemberLayout, to plan: inout Plan) {
    let owner = number(edit.object)
    let former = Set((edit.former[slot] ?? []).map(number))
    let current = Set((edit.current[slot] ?? []).map(number))
    if members.isJoin, edit.kind == .deleted {
      plan.deletable[members.table, default: []].insert("\(members.ownerColumn) \(owner)")
    }
    for member in former.union(current) {
      guard members.isJoin else {
        // Owners of the members of a to-many with a to-one as its inverse are changes of the members.
        var columns = members.orderColumn.map { [$0] } ?? []
        if members.isHidden { columns.append(members.ownerColumn) }
        plan.columns[RowID(members.table, member), default: []].formUnion(columns)
        continue
      }
      let halves = ["\(members.ownerColumn) \(owner)", "\(members.memberColumn) \(member)"]
      let pair = RowID(members.table, halves.sorted().joined(separator: ", "))
      switch (former.contains(member), current.contains(member)) {
      case (false, true): plan.inserted.insert(pair)
      case (true, false): plan.deleted.insert(pair)
      default:
        if let order = members.orderColumn { plan.columns[pair, default: []].insert(order) }
      }
    }
  }
}
