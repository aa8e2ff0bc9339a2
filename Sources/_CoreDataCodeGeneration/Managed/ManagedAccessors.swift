// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// Generates the accessors of a target's `@NSManaged` members, type aliases for types whose names
/// Foundation also declares, and classes through which value transformers and migration policies are found.
package enum ManagedAccessors {
  /// The generator's input: the target's sources and models, and the sources of the modules that the target
  /// can import.
  package struct Input: Sendable {
    package var module: String
    /// The paths of the target's Swift sources.
    package var sources: [String]
    /// Module name → the paths of the module's Swift sources, for each module that the target can import.
    package var dependencies: [String: [String]]
    /// The paths of the target's models.
    package var models: [String]
    /// The paths of the target's mapping models.
    package var mappings: [String]

    package init(
      module: String,
      sources: [String],
      dependencies: [String: [String]] = [:],
      models: [String] = [],
      mappings: [String] = []
    ) {
      self.module = module
      self.sources = sources
      self.dependencies = dependencies
      self.models = models
      self.mappings = mappings
    }
  }

  /// The generated source, and the problems found while it was generated.
  package struct Output: Sendable {
    package let text: String
    package let problems: [ModelProblem]
  }

  /// Returns the name of the generated file.
  ///
  /// `CoreDataModelPlugin` builds the same name itself, because a plugin cannot import this module.
  package static func fileName(forTargetNamed name: String) -> String {
    "\(name)+ManagedAccessors.swift"
  }

  /// Returns the source with the accessors of the target's `@NSManaged` members.
  ///
  /// A model or mapping model with an error is left out. The error is reported by another command, which
  /// generates the model's classes or checks the mapping model.
  package static func generate(_ input: Input) -> Output {
    let target = ModuleSources(module: input.module, files: input.sources)
    let dependencies = input.dependencies.sorted { $0.key < $1.key }
      .map { ModuleSources(module: $0.key, files: $0.value) }
    let models = input.models.compactMap { path -> ModelDefinition? in
      // The command that generates the model's classes reports the error.
      guard let draft = try? ModelFile.draft(at: URL(fileURLWithPath: path)) else { return nil }
      // The same command also reports this error.
      return try? ModelDefinition(draft)
    }
    let policies = input.mappings.flatMap { path -> [String] in
      // The command that checks the mapping model reports the error.
      let draft = try? MappingFile.draft(
        at: URL(fileURLWithPath: path),
        predicates: PredicateTexts()
      )
      return draft?.entities.compactMap(\.policyClassName) ?? []
    }
    return generate(target, dependencies, models, policies: policies)
  }

  /// Returns the source with the accessors for a module whose sources are passed as texts.
  package static func generate(
    module: String,
    texts: [(path: String, text: String)],
    dependencies: [(module: String, path: String, text: String)] = [],
    models: [ModelDefinition] = [],
    policies: [String] = []
  ) -> Output {
    let target = ModuleSources(
      module: module,
      texts: texts.map { ($0.path, Array($0.text.utf8)) }
    )
    let others = dependencies.map { file in
      ModuleSources(module: file.module, texts: [(file.path, Array(file.text.utf8))])
    }
    return generate(target, others, models, policies: policies)
  }

  static func generate(
    _ target: ModuleSources,
    _ dependencies: [ModuleSources],
    _ models: [ModelDefinition],
    policies: [String]
  ) -> Output {
    let planner = ManagedPlanner(
      target: target,
      dependencies: dependencies,
      models: ManagedModels(models)
    )
    let plans = planner.classPlans()
    let source = ManagedSource(
      plans: plans,
      module: target.module,
      aliases: ShadowedType.all(in: target),
      named: NamedClassPlanner(planner).plans(for: names(in: models, policies))
    )
    return Output(text: source.text(), problems: planner.problems)
  }

  /// Returns the sorted names of the value transformers in `models`, followed by the sorted names of the
  /// policies.
  private static func names(
    in models: [ModelDefinition],
    _ policies: [String]
  ) -> [NamedClassPlanner.Name] {
    let transformers = models.flatMap(\.entities).flatMap(\.properties)
      .compactMap { $0.attribute?.ownTransformerName }
    return Set(transformers).sorted(by: utf8Less).map { .init(text: $0, role: .transformer) }
      + Set(policies).sorted(by: utf8Less).map { .init(text: $0, role: .policy) }
  }

  /// Writes the source to a file in `folder`, unless the file has the same text.
  ///
  /// An unchanged file keeps its modification time, so that the target is not compiled again.
  /// - Returns: the problems of the sources. If one of them is an error, the program cannot be built, usually
  ///   because an accessor is missing.
  /// - Throws: `ModelError` if the file cannot be written.
  package static func write(_ input: Input, to folder: URL) throws -> [ModelProblem] {
    let output = generate(input)
    let file = folder.appendingPathComponent(fileName(forTargetNamed: input.module))
    let data = Data(output.text.utf8)
    // A file that is missing or cannot be read is written.
    if (try? Data(contentsOf: file)) == data { return output.problems }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try data.write(to: file)
    } catch {
      throw ModelError(
        file: file.path,
        reason: "the file cannot be written: \(error.localizedDescription)"
      )
    }
    return output.problems
  }
}
