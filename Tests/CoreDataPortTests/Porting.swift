// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPort

/// Ports source texts.
enum Porting {
  /// Ports a text beside other texts and a model with the entities.
  static func source(
    _ text: String,
    beside others: [String] = [],
    entities: String? = nil,
    all: Bool = true
  ) throws -> PortedSource {
    var models: [ModelDefinition] = []
    if let entities {
      let xml = Data("<model>\n\(entities)\n</model>".utf8)
      models = [try ModelDefinition(ModelFile.draft(xml: xml, file: "Shop/contents"))]
    }
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
