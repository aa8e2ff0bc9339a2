// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import _CoreDataTools

/// Looks for misspelt subcommands, which the argument parser answers with the usage alone.
enum SubcommandCheck {
  /// What is wrong with the first words of a command line; nil where they name a command.
  static func complaint(_ arguments: [String]) -> ToolError? {
    var command: any ParsableCommand.Type = CoreDataCommand.self
    for argument in arguments {
      let known = command.configuration.subcommands
      // What stands behind the last command is its own.
      if known.isEmpty || argument.hasPrefix("-") || argument == "help" { return nil }
      guard let next = known.first(where: { $0._commandName == argument }) else {
        return ToolError(
          "there is no command “\(argument)”",
          hint: Suggestion.text(
            for: argument,
            among: known.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
          )
        )
      }
      command = next
    }
    return nil
  }
}
