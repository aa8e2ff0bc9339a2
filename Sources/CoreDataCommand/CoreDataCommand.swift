// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The command-line tool: `coredata generate`, `coredata check`.
@main
struct CoreDataCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coredata",
    abstract: "Works with Core Data models.",
    subcommands: [Generate.self, Check.self]
  )
}
