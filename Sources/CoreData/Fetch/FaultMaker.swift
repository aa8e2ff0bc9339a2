// SPDX-License-Identifier: Apache-2.0

import CoreDataGraph
import CoreDataModel

/// Makes faults of a context, with each entity's class looked up once.
struct FaultMaker {
  private let context: NSManagedObjectContext
  private let entries: Entries

  private final class Entries {
    @exclusivity(unchecked) var known: [Entry?]
    init(_ count: Int) { known = Array(repeating: nil, count: count) }
  }
  private struct Entry {
    let type: NSManagedObject.Type
    let entity: NSEntityDescription
    let flags: ObjectFlags
  }

  init(_ context: NSManagedObjectContext) {
    self.context = context
    entries = Entries(context.registry.model.entities.count)
  }

  func make(_ key: ObjectKey) -> NSManagedObject {
    let entry = entries.known[key.entity] ?? look(up: key.entity)
    return context.makeFault(key, entry.type, entry.entity, entry.flags)
  }

  private func look(up index: Int) -> Entry {
    guard let model = context.frozenModel else { Misuse.contextHasNoModel(entityName: "") }
    let type = model.managedObjectClass(at: index)
    let entry = Entry(
      type: type,
      entity: model.entities[index],
      flags: model.flags(of: type, at: index).union(.fault)
    )
    entries.known[index] = entry
    return entry
  }
}
