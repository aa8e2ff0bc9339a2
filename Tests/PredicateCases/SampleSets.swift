// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// The data sets by name, made anew for each use.
package struct SampleSets {
  private let sets: JSON
  package init() throws {
    let url = Shared.root.appendingPathComponent("cases/datasets.json")
    sets = try Shared.json(String(contentsOf: url, encoding: .utf8))
  }

  package func world(_ name: String) -> SampleWorld {
    sets[name].map(SampleWorld.init) ?? SampleWorld()
  }

  /// The world an `object` cell names, and what of it is evaluated.
  package func subject(
    _ cell: JSON
  ) -> (world: SampleWorld, root: Value, candidates: [(id: JSON, value: Value)]) {
    guard let name = cell.text, name.hasPrefix("@") else {
      let world = SampleWorld()
      return (world, world.value(cell), cell.elements.map { ($0, world.value($0)) })
    }
    let parts = name.dropFirst().split(separator: "#")
    let world = self.world(String(parts[0]))
    guard parts.count == 2 else { return (world, .null, world.roots) }
    let root = world.roots.first { $0.id == .text(String(parts[1])) }
    return (world, root?.value ?? .null, world.roots)
  }
}
