// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Random edits of everything that a results controller follows; after each round its delegate shows what
/// a fresh fetch gives, and was told no more than there was to tell.
///
/// `COREDATA_LIST_ROUNDS` sets the number of rounds of all settings together, `COREDATA_LIST_SEED` the seed
/// of the first world, `COREDATA_LIST_ONLY` the one setting that is tried.
@Suite("The law of lists")
struct ListLawTests {
  private static func number(_ name: String, _ usual: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? usual
  }
  private static let rounds = number("COREDATA_LIST_ROUNDS", 12_000)
  private static let firstSeed = number("COREDATA_LIST_SEED", 1)
  private static let only = ProcessInfo.processInfo.environment["COREDATA_LIST_ONLY"]
  /// Rounds of one world.
  private static let life = 80

  @Test("Shown is what a fresh fetch gives, and told no more", arguments: ListLawSetting.all)
  func law(_ setting: ListLawSetting) throws {
    guard Self.only.map({ setting.name == $0 }) ?? true else { return }
    let all = ListLawSetting.all.reduce(0) { $0 + $1.share }
    let rounds = max(1, Self.rounds * setting.share / all)
    for number in 0..<(rounds + Self.life - 1) / Self.life {
      let seed = UInt64(Self.firstSeed + number)
      let count = min(Self.life, rounds - number * Self.life)
      guard let failure = try play(setting, seed, count) else { continue }
      let small = try shrunk(setting, seed, failure)
      Issue.record(
        """
        \(setting), seed \(seed): \(failure)
        The same with as few steps as it takes:
        \(small.steps.joined(separator: "\n"))
        \(small.failure)
        """
      )
      return
    }
  }

  private func play(
    _ setting: ListLawSetting,
    _ seed: UInt64,
    _ rounds: Int
  ) throws -> ListLawWorld.Failure? {
    let world = try ListLawWorld(setting, seed: seed)
    defer { try? world.close() }
    do {
      try world.play(rounds)
      return nil
    } catch let failure as ListLawWorld.Failure {
      return failure
    }
  }

  /// The failure with steps left out that it does not need.
  private func shrunk(
    _ setting: ListLawSetting,
    _ seed: UInt64,
    _ failure: ListLawWorld.Failure
  ) throws -> (steps: [String], failure: ListLawWorld.Failure) {
    var failure = failure
    var skipping: Set<Int> = []
    func fails(_ skipping: Set<Int>) throws -> ListLawWorld.Failure? {
      let world = try ListLawWorld(setting, seed: seed)
      defer { try? world.close() }
      do {
        try world.play(failure.round + 1, skipping: skipping)
        return nil
      } catch let failure as ListLawWorld.Failure {
        return failure
      }
    }
    var size = (failure.round + 1) * setting.most / 2
    var before = -1
    while size > 0 {
      let steps = (0...failure.round)
        .flatMap { round in (0..<setting.most).map { round * 1000 + $0 } }
        .filter { !skipping.contains($0) }
      for first in stride(from: 0, to: steps.count, by: size) {
        let wider = skipping.union(steps[first..<min(first + size, steps.count)])
        guard let found = try fails(wider), found.kind == failure.kind else { continue }
        failure = found
        skipping = wider
      }
      size /= 2
      // Once more, as long as that helps.
      if size == 0, skipping.count > before { (size, before) = (4, skipping.count) }
    }
    let world = try ListLawWorld(setting, seed: seed, keepsLog: true)
    defer { try? world.close() }
    do {
      try world.play(failure.round + 1, skipping: skipping)
    } catch let again as ListLawWorld.Failure {
      return (world.log, again)
    }
    return (world.log + ["(this time it held; with fewer notes:)"], failure)
  }
}
