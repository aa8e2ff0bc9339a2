// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// The generator of accessors for a target's `@NSManaged` members.
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

    package init(
      module: String,
      sources: [String],
      dependencies: [String: [String]] = [:],
      models: [String] = []
    ) {
      self.module = module
      self.sources = sources
      self.dependencies = dependencies
      self.models = models
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
  /// A model with an error is left out, because the command that generates its classes reports the error.
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
    return generate(target, dependencies, models)
  }

  /// Returns the source with the accessors for a module whose sources are passed as texts.
  package static func generate(
    module: String,
    texts: [(path: String, text: String)],
    dependencies: [(module: String, path: String, text: String)] = [],
    models: [ModelDefinition] = []
  ) -> Output {
    let target = ModuleSources(
      module: module,
      texts: texts.map { ($0.path, Array($0.text.utf8)) }
    )
    let others = dependencies.map { file in
      ModuleSources(module: file.module, texts: [(file.path, Array(file.text.utf8))])
    }
    return generate(target, others, models)
  }

  static func generate(
    _ target: ModuleSources,
    _ dependencies: [ModuleSources],
    _ models: [ModelDefinition]
  ) -> Output {
    let planner = ManagedPlanner(
      target: target,
      dependencies: dependencies,
      models: ManagedModels(models)
    )
    let plans = planner.classPlans()
    let source = ManagedSource(plans: plans, module: target.module)
    return Output(text: source.text(), problems: planner.problems)
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
