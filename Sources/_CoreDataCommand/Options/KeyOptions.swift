// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import _CoreDataModel
import _CoreDataTools

/// `--key`: by which attributes objects are known outside their store.
struct KeyOptions: ParsableArguments {
  @Option(
    name: .customLong("key"),
    help: ArgumentHelp(
      "An entity's natural key, as Entity:attribute or Entity:a+b; may be repeated.",
      discussion: "Without it an entity's first uniqueness constraint is its key."
    )
  )
  var keys: [String] = []

  func natural(_ model: ModelDefinition) throws -> NaturalKeys {
    try NaturalKeys(model, given: keys)
  }
}
