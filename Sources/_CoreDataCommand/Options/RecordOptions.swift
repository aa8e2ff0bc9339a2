// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import _CoreDataModel
import _CoreDataTools

/// `--key`: the attributes that identify objects outside their store.
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

/// `--entity`, `--json`, `--ndjson`, `--csv`, `--ignore-unknown`: options for reading a file of records.
struct RecordOptions: ParsableArguments {
  @Option(
    help: "The entity of records that name none; that of the file's name unless said otherwise."
  )
  var entity: String?

  @Flag(help: "The form of the records; the file's name tells it where nothing is said.")
  var format: OutputFormat?

  @Flag(help: "Pass over names that the model does not have.")
  var ignoreUnknown = false

  var importing: Importer.Options {
    var options = Importer.Options()
    options.ignoresUnknown = ignoreUnknown
    return options
  }

  func validate() throws {
    if format == .table { throw ValidationError("Tables cannot be read.") }
  }
}

/// `--quiet`: prints only results and errors.
struct QuietOption: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print results and errors alone.")
  var quiet = false
}
