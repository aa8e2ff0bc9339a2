// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import _CoreDataModel
import _CoreDataTools

/// `--key`: the attributes of natural keys, which identify objects in files of records.
struct KeyOptions: ParsableArguments {
  @Option(
    name: .customLong("key"),
    help: ArgumentHelp(
      "The natural key of an entity, as Entity:attribute or Entity:a+b; may be repeated.",
      discussion: "By default an entity's first uniqueness constraint is its natural key."
    )
  )
  var keys: [String] = []

  func natural(_ model: ModelDefinition) throws -> NaturalKeys {
    try NaturalKeys(model, given: keys)
  }
}

struct RecordOptions: ParsableArguments {
  @Option(
    help: "The entity of records without $entity; by default the entity with the name of the file."
  )
  var entity: String?

  @Flag(help: "The format of the records; by default it is derived from the name of the file.")
  var format: OutputFormat?

  @Flag(help: "Skip names that the model does not have.")
  var ignoreUnknown = false

  var importing: Importer.Options {
    var options = Importer.Options()
    options.ignoresUnknown = ignoreUnknown
    return options
  }

  func validate() throws {
    if format == .table {
      throw ValidationError(
        "Records cannot be read from the table format. Pass --json, --ndjson or --csv."
      )
    }
  }
}

struct QuietOption: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print only results and errors.")
  var quiet = false
}
#endif
