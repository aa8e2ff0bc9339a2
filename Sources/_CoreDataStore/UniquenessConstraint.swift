// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Properties whose combination of values must be unique among the rows of an entity.
///
/// A row with a null in any of these properties is exempt.
package struct UniquenessConstraint: Hashable, Sendable {
  /// The property names, in the order of the constraint.
  package let names: [String]
  package let slots: [Int]
  /// The index of the entity among whose rows, including those of its subentities, the values must be unique.
  package let scope: Int
}

/// The uniqueness constraints of a model; equal constraints in one hierarchy are merged.
package struct UniquenessConstraints: Sendable {
  package let all: [UniquenessConstraint]
  /// Index of an entity → the constraints that apply to its rows, as indexes in `all`.
  package let byEntity: [[Int]]
  package var isEmpty: Bool { all.isEmpty }

  package init(_ model: ModelDefinition) {
    var all: [UniquenessConstraint] = []
    var byEntity = model.entities.map { _ in [Int]() }
    var known: Set<[Int]> = []
    for entity in model.entities {
      for names in entity.ownUniquenessConstraints {
        let slots = names.compactMap { entity.slotByName[$0] }
        guard slots.count == names.count, !slots.isEmpty else { continue }
        // A subentity has a higher index than its parent, so the declaring entity with the highest index is
        // the topmost entity with all of these properties.
        let scope = slots.map { entity.properties[$0].declaringEntity }.max() ?? entity.index
        guard known.insert([scope] + slots.sorted()).inserted else { continue }
        for member in model.entities[scope].family { byEntity[member].append(all.count) }
        all.append(UniquenessConstraint(names: names, slots: slots, scope: scope))
      }
    }
    self.all = all
    self.byEntity = byEntity
  }
}

/// The values of a row in the properties of a constraint; strings are compared byte by byte, as in SQLite.
package struct UniqueValues: Hashable, Sendable {
  private enum Part: Hashable, Sendable {
    case word(UInt64)
    case number(Double)
    case bytes([UInt8])
  }
  private let parts: [Part]

  /// Reads the values of a row; returns nil if one of them is null, because SQLite considers nulls distinct.
  package init?(_ chunk: RowChunk, _ row: Int, _ slots: [Int]) {
    var parts: [Part] = []
    for slot in slots {
      if chunk.isNull(row, slot) { return nil }
      switch chunk.layout.kinds[slot] {
      case .double, .date: parts.append(.number(chunk.double(row, slot)))
      case .decimal:
        guard case .decimal(let number) = chunk.value(row, slot) else { return nil }
        parts.append(.number(NSDecimalNumber(decimal: number).doubleValue))
      case .reference: parts.append(.word(UInt64(chunk.key(row, slot).number)))
      case .integer, .boolean: parts.append(.word(chunk.word(row, slot)))
      default: parts.append(.bytes(Array(chunk.bytes(row, slot))))
      }
    }
    self.parts = parts
  }
}
