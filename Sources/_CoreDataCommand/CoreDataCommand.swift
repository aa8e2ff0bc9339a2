// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import _CoreDataTools

@main
struct CoreDataCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coredata",
    abstract: "Inspects, converts, migrates and repairs Core Data stores and models.",
    discussion: """
      Stores are only read, except by import, transfer, seed, migrate and doctor --repair. port --write changes sources.

        coredata inspect Shop.sqlite
        coredata fetch Shop.sqlite Product --predicate 'price > 10' --sort name --limit 20
        coredata model graph Shop.xcdatamodeld > shop.svg
        coredata model check Shop.xcdatamodeld

      Exit codes: 0 success; 1 the command found problems or differences; 2 the command failed; \
      64 the arguments are not valid.
      """,
    version: PackageVersion.text,
    groupedSubcommands: [
      CommandGroup(
        name: "Stores:",
        subcommands: [
          Inspect.self, Fetch.self, Explain.self, Metadata.self, Export.self,
          Import.self, TransferCommand.self, SeedCommand.self, DoctorCommand.self, Migrate.self,
        ]
      ),
      CommandGroup(
        name: "Models:",
        subcommands: [Model.self, Codegen.self, Generate.self, CheckAlias.self]
      ),
      CommandGroup(name: "Projects:", subcommands: [Port.self]),
    ]
  )

  /// Runs the command that the arguments name.
  ///
  /// If the command is unknown, prints an error that suggests the most similar command or lists the commands,
  /// and exits with code 64.
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    if let complaint = SubcommandCheck.complaint(arguments) {
      Terminal.printError("coredata: \(complaint)")
      exit(withError: ExitCode(64))
    }
    main(arguments)
  }
}

/// Finds unknown commands, because the argument parser's error for an unknown command has no suggestion.
enum SubcommandCheck {
  /// Returns the error for an unknown command or subcommand; nil if all commands are known.
  ///
  /// Stops checking at the first option, at `help`, and at the arguments of a command.
  static func complaint(_ arguments: [String]) -> ToolError? {
    var command: any ParsableCommand.Type = CoreDataCommand.self
    var path = ""
    for argument in arguments {
      let known = command.configuration.subcommands
      // The argument parser checks options, and the arguments after the last command.
      if known.isEmpty || argument.hasPrefix("-") || argument == "help" { return nil }
      guard let next = known.first(where: { $0._commandName == argument }) else {
        return ToolError(
          path.isEmpty
            ? "there is no command “\(argument)”"
            : "`coredata\(path)` has no command “\(argument)”",
          hint: Suggestion.text(
            for: argument,
            among: known.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
          )
        )
      }
      command = next
      path += " " + argument
    }
    return nil
  }
}
#endif
