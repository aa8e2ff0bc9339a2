// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Makes one call of the system fail, or all calls from one on, in the files of a folder.
struct FailingCalls {
  /// What happens to the call.
  enum Fate: Int32, CaseIterable {
    case fails, failsForGood, isShort
  }

  private typealias Choose = @convention(c) (UnsafePointer<CChar>, Int, Int32) -> Void
  private typealias Arm = @convention(c) (Int32) -> Int
  private let choose: Choose
  private let arm: Arm

  /// Returns nil if the process was started without the library that replaces the calls.
  init?() {
    guard let choose = dlsym(nil, "coredata_fail_calls"),
      let arm = dlsym(nil, "coredata_arm_failures")
    else { return nil }
    // The library exports functions of these types.
    self.choose = unsafeBitCast(choose, to: Choose.self)
    // As above.
    self.arm = unsafeBitCast(arm, to: Arm.self)
  }

  /// Chooses the call after `number` others.
  func choose(_ number: Int, _ fate: Fate, in folder: URL) {
    choose(folder.path, number, fate.rawValue)
  }

  /// Runs `body` while calls are counted and fail; returns the number of calls that are left before the chosen
  /// one.
  func armed(_ body: () throws -> Void) -> (left: Int, error: (any Error)?) {
    _ = arm(1)
    do {
      try body()
      return (arm(0), nil)
    } catch {
      return (arm(0), error)
    }
  }
}

/// The failure of one call in a scenario, after which the work goes on.
final class Fault {
  private let calls: FailingCalls
  private let folder: URL
  /// The step that threw an error because of the failure.
  private(set) var thrownIn: String?
  /// The number of calls that are left before the failing one.
  private(set) var left = Int.max

  init(_ calls: FailingCalls, _ number: Int, _ fate: FailingCalls.Fate, in folder: URL) {
    self.calls = calls
    self.folder = folder
    calls.choose(number, fate, in: folder)
  }

  /// Runs a step, and runs it once more if the failure made it throw an error.
  ///
  /// - Throws: an error without a failure before it, and any error of the second run.
  func run(_ name: String, _ body: () throws -> Void) throws {
    let first = calls.armed(body)
    left = first.left
    guard let error = first.error else { return }
    if first.left >= 0 || thrownIn != nil { throw error }
    thrownIn = name
    calls.choose(Int.max / 2, .fails, in: folder)
    try body()
  }
}
