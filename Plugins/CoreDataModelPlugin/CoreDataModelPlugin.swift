// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// Generates the classes of every model in a target's directory, and checks every mapping model, at each build.
///
/// The plugin searches the directory instead of the target's file list, because not every build system and
/// not every `exclude:` or `resources:` declaration has the model in that list.
@main
struct CoreDataModelPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
    guard target is SourceModuleTarget else { return [] }
    let models = ModelFolder.all(in: target.directoryURL)
    let mappings = ModelFolder.mappingModels(in: target.directoryURL)
    var names: [String: URL] = [:]
    for folder in models + mappings {
      if let other = names.updateValue(folder.url, forKey: folder.outputName) {
        Diagnostics.error(
          "two models of the target have the same name “\(folder.name)”: \(other.path), \(folder.url.path)"
        )
        return []
      }
    }
    let tool = try context.tool(named: "_CoreDataGenerator").url
    return models.map {
      command(for: $0, tool: tool, folder: context.pluginWorkDirectoryURL)
    }
      + mappings.map {
        check($0, models, target, tool: tool, folder: context.pluginWorkDirectoryURL)
      }
  }

  /// The output file has the name of `ModelSource.fileName(forModelNamed:)`, which a plugin cannot import.
  private func command(for model: ModelFolder, tool: URL, folder: URL) -> Command {
    .buildCommand(
      displayName: "Generating the classes of \(model.url.lastPathComponent)",
      executable: tool,
      arguments: [model.url.path, folder.path],
      inputFiles: model.inputs,
      outputFiles: [folder.appendingPathComponent(model.outputName)]
    )
  }

  /// Returns the command that checks a mapping model.
  ///
  /// The command has an output file, so that it runs only when an input changes.
  private func check(
    _ mapping: ModelFolder,
    _ models: [ModelFolder],
    _ target: Target,
    tool: URL,
    folder: URL
  ) -> Command {
    let output = folder.appendingPathComponent(mapping.outputName)
    return .buildCommand(
      displayName: "Checking \(mapping.url.lastPathComponent)",
      executable: tool,
      arguments: ["--mapping", mapping.url.path, output.path, target.directoryURL.path]
        + models.map(\.url.path),
      inputFiles: mapping.inputs + models.flatMap(\.inputs),
      outputFiles: [output]
    )
  }
}
