// SPDX-License-Identifier: Apache-2.0

import _CoreDataCodeGeneration
import _CoreDataModel

/// Ports source texts.
enum Porting {
  /// Ports a text beside other texts and a model with the entities.
  static func source(
    _ text: String,
    beside others: [String] = [],
    entities: String? = nil,
    all: Bool = true
  ) throws -> PortedSource {
    let models = try entities.map { [try ModelDefinition(Generated.draft($0))] } ?? []
    let inputs = ([text] + others).enumerated().map { place, text in
      SourcePort.Input(path: "File\(place).swift", bytes: Array(text.utf8))
    }
    return SourcePort(sources: inputs, models: models).ported(all: all)[0]
  }

  /// Returns the text after the rewriting.
  static func text(
    _ text: String,
    beside others: [String] = [],
    entities: String? = nil
  ) throws -> String {
    try String(
      decoding: source(text, beside: others, entities: entities).result,
      as: UTF8.self
    )
  }

  /// Returns what is left for a person, such as `3:9 #keyPath(…): …`.
  static func left(
    _ text: String,
    beside others: [String] = [],
    entities: String? = nil
  ) throws -> [String] {
    let source = try source(text, beside: others, entities: entities)
    return source.findings.filter(\.isLeft).map { finding in
      let position = source.position(of: finding.offset)
      return "\(position.line):\(position.column) \(finding.message)"
    }
  }
}
