// SPDX-License-Identifier: Apache-2.0

/// The differences between two models, and whether a store can be migrated with an inferred mapping.
package struct ModelDifference {
  package enum Change: String, Sendable { case added, removed, renamed, changed }

  /// One entity or property that differs between the models.
  package struct Item: Sendable {
    package let change: Change
    /// The entity's name in the new model; for a removed entity, in the old model.
    package let entity: String
    package let property: String?
    /// The former name of a renamed entity or property; nil for other changes.
    package let formerName: String?
    /// The differences, such as `type String → Date`.
    package let details: [String]
    /// The `details` that can prevent opening a store of the old model with the new model.
    package let hashed: [String]
    /// Why the item prevents an inferred mapping; nil if it does not.
    package fileprivate(set) var obstacle: String?

    init(
      _ change: Change,
      entity: String,
      property: String? = nil,
      formerName: String? = nil,
      details: DifferenceDetails = DifferenceDetails()
    ) {
      self.change = change
      self.entity = entity
      self.property = property
      self.formerName = formerName
      self.details = details.texts
      hashed = details.hashed
    }
  }

  package let items: [Item]
  /// Names of the entities whose version hashes differ, or that only one of the models has.
  package let changedHashes: [String]

  /// Whether there are no items.
  ///
  /// Some settings, such as the user info, are not compared.
  package var isEmpty: Bool { items.isEmpty }
  /// Whether a store of the old model must be migrated before it can be opened with the new model.
  package var needsMigration: Bool { !changedHashes.isEmpty }
  /// Whether the mapping of a migration can be inferred, so that no mapping model is needed.
  package var isInferable: Bool { items.allSatisfy { $0.obstacle == nil } }

  package init(from old: ModelDefinition, to new: ModelDefinition) {
    var differ = ModelDiffer(old: old, new: new)
    var items = differ.items()
    var inference = MappingInference(old: old, new: new)
    _ = inference.mapping()
    for obstacle in inference.obstacles { Self.note(obstacle, in: &items) }
    self.items = items
    let before = ModelHashes(model: old).byEntity
    let after = ModelHashes(model: new).byEntity
    changedHashes = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
      .sorted(by: utf8Less)
  }

  /// Adds an obstacle to the item of the same entity or property, or appends a new item with the obstacle.
  private static func note(_ obstacle: MappingObstacle, in items: inout [Item]) {
    let index = items.firstIndex {
      $0.change != .removed && $0.entity == obstacle.entity && $0.property == obstacle.property
    }
    var item =
      index.map { items[$0] }
      ?? Item(.changed, entity: obstacle.entity, property: obstacle.property)
    item.obstacle = [item.obstacle, obstacle.text].compactMap(\.self).joined(separator: "; ")
    if let index { items[index] = item } else { items.append(item) }
  }

  /// The names of the columns of `rows`.
  package static let columns = ["change", "entity", "property", "details", "obstacle"]

  /// The items as rows of a table with `columns`; missing values are null.
  package var rows: [[Value]] {
    items.map { item in
      [
        .text(item.change.rawValue), .text(item.entity), item.property.map(Value.text) ?? .null,
        .text(item.details.joined(separator: ", ")), item.obstacle.map(Value.text) ?? .null,
      ]
    }
  }

  /// The items as text, followed by a line that says whether stores need a migration.
  ///
  /// The line of an item begins with `+`, `-`, `~` or `→`. The next line shows the item's obstacle, if it has
  /// one. If there are no items and no version hash differs, the only line says that there are no
  /// differences. Settings that affect neither stores nor classes, such as user info, are not compared.
  package var text: String {
    if items.isEmpty && !needsMigration {
      return "The models have no differences that affect stores or classes.\n"
    }
    var lines = items.map { item -> String in
      let sign =
        switch item.change {
        case .added: "+"
        case .removed: "-"
        case .renamed: "→"
        case .changed: "~"
        }
      let name = item.entity + (item.property.map { "." + $0 } ?? "")
      let details = item.details.isEmpty ? "" : ": " + item.details.joined(separator: ", ")
      return "\(sign) \(name)\(details)" + (item.obstacle.map { "\n    ! \($0)" } ?? "")
    }
    lines.append("")
    if !needsMigration {
      lines.append(
        "A store of one model can be opened with the other model, because no version hash differs."
      )
    } else if isInferable {
      lines.append("Stores need a migration, whose mapping can be inferred.")
    } else {
      lines.append("Stores need a migration with a mapping model: see the lines with “!”.")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
