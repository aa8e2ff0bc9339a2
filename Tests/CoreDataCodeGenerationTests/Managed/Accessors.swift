// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataCodeGeneration
import _CoreDataModel

/// Generates accessors from source texts.
enum Accessors {
  static func output(
    _ source: String,
    entities: String? = nil,
    module: String = "Shop",
    dependency: String? = nil
  ) throws -> ManagedAccessors.Output {
    let models = try entities.map { [try ModelDefinition(Generated.draft($0))] } ?? []
    return ManagedAccessors.generate(
      module: module,
      texts: [("Item.swift", source)],
      dependencies: dependency.map { [("Prices", "Price.swift", $0)] } ?? [],
      models: models
    )
  }

  /// The problems as lines, such as `Item.swift:3: error: Item.title: …`.
  static func problems(
    _ source: String,
    entities: String? = nil,
    dependency: String? = nil
  ) throws -> [String] {
    try output(source, entities: entities, dependency: dependency).problems.map(\.description)
  }

  /// The symbols that a generated source defines.
  static func symbols(in text: String) -> Set<String> {
    Set(
      text.components(separatedBy: "@_silgen_name(\"").dropFirst()
        .compactMap { $0.components(separatedBy: "\"").first }
    )
  }
}
