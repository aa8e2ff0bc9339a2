// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation

/// What the processes at a bank have in common: a log, random numbers and a clock that jumps.
final class BankProcess {
  let bank: Bank
  let name: String
  let mistake: PlantedMistake?
  var dice: Dice
  private let log: FileHandle
  private var longest = Duration.zero

  init(_ bank: Bank, name: String, seed: UInt64, mistake: PlantedMistake?) throws {
    self.bank = bank
    self.name = name
    self.mistake = mistake
    dice = Dice(seed)
    let url = bank.log(name)
    try Data().write(to: url)
    log = try FileHandle(forWritingTo: url)
  }

  var isStopped: Bool { access(bank.stop.path, F_OK) == 0 }

  func write(_ line: String) { log.write(Data("\(line)\n".utf8)) }

  /// Logs the time that `body` takes if it is the longest so far.
  ///
  /// Jumps of the clock do not change it.
  func measure(_ body: () throws -> Void) rethrows {
    let taken = try ContinuousClock().measure(body)
    if taken > longest {
      longest = taken
      write("longest \(taken / .milliseconds(1))")
    }
  }

  // MARK: The clock

  private typealias MoveClock = @convention(c) (Int) -> Void
  private static let moveClock = dlsym(nil, "coredata_move_clock").map {
    // The library exports a function of this type.
    unsafeBitCast($0, to: MoveClock.self)
  }

  /// Sets the clock of this process, once in 50 calls, to a time within two days of the true time.
  func perhapsJump() {
    guard dice.below(50) == 0, let move = Self.moveClock else { return }
    move(dice.below(2 * 172_800) - 172_800)
    write("jump")
  }
}
