// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// Generates the classes of every model in a target's directory at each build.
///
/// The plugin searches the directory instead of the target's file list, because not every build system and
/// not every `exclude:` or `resources:` declaration has the model in that list.
@main
struct CoreDataModelPlugin: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
    guard target is SourceModuleTarget else { return [] }
    let models = ModelFolder.all(in: target.directoryURL)
    var names: [String: URL] = [:]
    for model in models {
      if let other = names.updateValue(model.url, forKey: model.name) {
        Diagnostics.error(
          "two models of the target have the same name “\(model.name)”: \(other.path), \(model.url.path)"
        )
        return []
      }
    }
    let tool = try context.tool(named: "_CoreDataGenerator").url
    return models.map {
      command(for: $0, tool: tool, folder: context.pluginWorkDirectoryURL)
    }
  }

  /// The output file has the name of `ModelSource.fileName(forModelNamed:)`, which a plugin cannot import.
  private func command(for model: ModelFolder, tool: URL, folder: URL) -> Command {
    .buildCommand(
      displayName: "Generating the classes of \(model.url.lastPathComponent)",
      executable: tool,
      arguments: [model.url.path, folder.path],
      inputFiles: model.inputs,
      outputFiles: [folder.appendingPathComponent("\(model.name)+Model.swift")]
    )
  }
}
