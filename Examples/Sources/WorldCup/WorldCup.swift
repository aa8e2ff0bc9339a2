// SPDX-License-Identifier: Apache-2.0

import CoreData

/// The World Cup of the tutorials: teams in sections by zone, a win at a click.
///
/// `WorldCup` serves the page; `WorldCup --terminal` shows the same list as text; `WorldCup --win NAME`
/// adds a win, as another program on the same store that a running server hears of. `PORT` (default
/// 8080), `STORE` (path of the store file) and `TEAMS` (how many teams an empty store is filled with, for
/// the page of the long list) come from the environment.
@main
enum WorldCup {
  static func main() async throws {
    let environment = ProcessInfo.processInfo.environment
    let arguments = Array(CommandLine.arguments.dropFirst())
    let isKnown =
      arguments.isEmpty || arguments == ["--terminal"]
      || arguments.count == 2 && arguments[0] == "--win"
    if !isKnown {
      stop("Usage: [PORT=8080] [STORE=path] [TEAMS=100000] WorldCup [--terminal | --win NAME]")
    }
    guard let port = UInt16(environment["PORT"] ?? "8080"), port > 0 else {
      stop("PORT must be a number from 1 to 65535.")
    }
    do {
      let stack = try CoreDataStack(storeURL: CoreDataStack.storeURL(in: environment))
      if arguments.count == 2 {
        return try OneWin(context: stack.context).add(to: arguments[1])
      }
      let others = OtherPrograms(stack)
      let teams = TeamList(stack)
      try await teams.start(
        seed: Seed.file(in: environment),
        crowd: environment["TEAMS"].flatMap { Int($0) }
      )
      try others.hear()
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
