// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// Generates the classes of every model in a target's directory and the accessors of the target's
/// `@NSManaged` members, compiles the models, and checks every mapping model.
///
/// The compiled models and the mapping models are outputs of the commands, which SwiftPM adds to the
/// resources of the target.
///
/// Each command runs again when one of its input files has changed. The plugin searches the directory instead
/// of the target's file list, because some build systems, and some `exclude:` and `resources:` declarations,
/// leave models out of that list.
@main
struct CoreDataModelPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
    guard let target = target as? any SourceModuleTarget else { return [] }
    let models = ModelFolder.all(in: target.directoryURL)
    let mappings = ModelFolder.mappingModels(in: target.directoryURL)
    var names: [String: URL] = [:]
    for folder in models + mappings {
      if let other = names.updateValue(folder.url, forKey: folder.outputName) {
        Diagnostics.error(
          "two models or two mapping models of the target have the name “\(folder.name)”; rename one of "
            + "them: \(other.path), \(folder.url.path)"
        )
        return []
      }
    }
    let tool = try context.tool(named: "_CoreDataGenerator").url
    let folder = context.pluginWorkDirectoryURL
    return models.map { command(for: $0, target, tool: tool, folder: folder) }
      + mappings.map { check($0, models, target, tool: tool, folder: folder) }
      + [try accessorCommand(for: target, models, tool: tool, folder: folder)]
  }

  /// The output file must have the name that `ManagedAccessors.fileName(forTargetNamed:)` returns.
  private func accessorCommand(
    for target: any SourceModuleTarget,
    _ models: [ModelFolder],
    tool: URL,
    folder: URL
  ) throws -> Command {
    let sources = ManagedSources(target, models: models)
    let list = folder.appendingPathComponent("\(target.moduleName)-sources.txt")
    let text = Data(sources.list.utf8)
    // An unchanged list keeps its modification time, so that the command does not run again.
    if (try? Data(contentsOf: list)) != text {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try text.write(to: list)
    }
    return .buildCommand(
      displayName: "Generating the accessors of \(target.name)",
      executable: tool,
      arguments: ["--managed", list.path, folder.path],
      inputFiles: sources.inputs + [list],
      outputFiles: [folder.appendingPathComponent("\(target.moduleName)+ManagedAccessors.swift")]
    )
  }

  /// The output file must have the name that `ModelSource.fileName(forModelNamed:)` returns; a plugin cannot
  /// import `ModelSource`.
  private func command(
    for model: ModelFolder,
    _ target: any SourceModuleTarget,
    tool: URL,
    folder: URL
  ) -> Command {
    let compiled = model.compiledName.flatMap { resource($0, of: target, in: folder) }
    return .buildCommand(
      displayName: "Generating the classes of \(model.url.lastPathComponent)",
      executable: tool,
      arguments: [model.url.path, folder.path] + [compiled?.path].compactMap { $0 },
      inputFiles: model.inputs,
      outputFiles: [folder.appendingPathComponent(model.outputName)] + [compiled].compactMap { $0 }
    )
  }

  /// Returns the URL of an output file that SwiftPM adds to the resources of a target.
  ///
  /// Returns nil if the target declares a resource with that name, because SwiftPM refuses two resources with
  /// the same name.
  private func resource(
    _ name: String,
    of target: any SourceModuleTarget,
    in folder: URL
  ) -> URL? {
    let isDeclared = target.sourceFiles.contains {
      $0.type == .resource && $0.url.lastPathComponent == name
    }
    return isDeclared ? nil : folder.appendingPathComponent(name)
  }

  /// Returns the command that checks a mapping model and copies it to the resources.
  ///
  /// The command has an output file, so that it runs only when an input changes.
  private func check(
    _ mapping: ModelFolder,
    _ models: [ModelFolder],
    _ target: any SourceModuleTarget,
    tool: URL,
    folder: URL
  ) -> Command {
    let output = folder.appendingPathComponent(mapping.outputName)
    let copy = resource(mapping.url.lastPathComponent, of: target, in: folder)
    return .buildCommand(
      displayName: "Checking \(mapping.url.lastPathComponent)",
      executable: tool,
      arguments: [
        "--mapping", mapping.url.path, output.path, copy?.path ?? "", target.directoryURL.path,
      ] + models.map(\.url.path),
      inputFiles: mapping.inputs + models.flatMap(\.inputs),
      outputFiles: [output] + [copy].compactMap { $0 }
    )
  }
}
