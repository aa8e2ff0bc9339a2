// SPDX-License-Identifier: Apache-2.0

import CoreData

/// The World Cup of the tutorials: teams in sections by zone, a win at a click.
///
/// `WorldCup` serves the page; `WorldCup --terminal` shows the same list as text. `PORT` (default
/// 8080) and `STORE` (path of the store file) come from the environment.
@main
enum WorldCup {
  static func main() async throws {
    let environment = ProcessInfo.processInfo.environment
    let arguments = CommandLine.arguments.dropFirst()
    if let unknown = arguments.first(where: { $0 != "--terminal" }) {
      stop("I don't know \(unknown). Usage: [PORT=8080] [STORE=path] WorldCup [--terminal]")
    }
    guard let port = Int(environment["PORT"] ?? "8080"), (1...65_535).contains(port) else {
      stop("PORT must be a number from 1 to 65535.")
    }
    do {
      let stack = try CoreDataStack(storeURL: CoreDataStack.storeURL(in: environment))
      let teams = TeamList(context: stack.context)
      try await teams.start(seed: Seed.file(in: environment))
      if arguments.contains("--terminal") {
        try await Terminal(teams: teams).run()
      } else {
        try await Server(teams: teams, port: port).run()
      }
    } catch {
      stop("World Cup could not go on: \(error)")
    }
  }

  private static func stop(_ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(1)
  }
}
