// SPDX-License-Identifier: Apache-2.0

import CoreData

/// The filled stores that workloads read or copy; made once for each size.
struct Template {
  let options: Options

  /// What a template is asked for as: a run of this program whose memory is not measured.
  static let workload = "template"

  func path(_ index: ModelIndex) -> String {
    "\(options.folder)/ours-team-\(options.count)\(index.rawValue).sqlite"
  }

  /// The path of the template, made by a process of its own where it is not there.
  func ready(_ index: ModelIndex = .none) throws -> String {
    try ready(path(index), suffix: index.rawValue)
  }

  func ready(_ path: String, suffix: String) throws -> String {
    if FileManager.default.fileExists(atPath: path) { return path }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = [
      "--workload", Self.workload + suffix, "--n", "\(options.count)", "--dir", options.folder,
    ]
    try process.run()
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw BenchError.templateFailed(process.terminationStatus) }
    return path
  }

  /// Fills a new store: N teams, and 100 players for each of the first 1,000, interleaved.
  func make(_ index: ModelIndex) throws {
    let part = path(index) + ".part\(ProcessInfo.processInfo.processIdentifier)"
    let store = try Store(part, index: index)
    let context = store.context()
    try context.performAndWait {
      for first in stride(from: 1, through: options.count, by: 10_000) {
        for row in first...min(first + 9_999, options.count) { _ = Team(row: row, in: context) }
        try context.save()
        context.reset()
      }
      if options.count >= 1_000 { try addPlayers(store, context) }
    }
    try store.close()
    try FileManager.default.moveItem(atPath: part, toPath: path(index))
  }

  private func addPlayers(_ store: Store, _ context: NSManagedObjectContext) throws {
    var made = 0
    for number in 0..<100 {
      for row in 1...1_000 {
        made += 1
        let player = Player(context: context)
        player.number = Int64(number)
        player.name = "Player \(made)"
        player.team = context.object(with: try store.objectID("Team", row)) as? Team
      }
      try context.save()
      context.reset()
    }
  }
}
