// SPDX-License-Identifier: Apache-2.0

import CrashSimulation
import Foundation
import Testing

/// Rounds of the simulation, each in a process of its own.
@Suite struct SimulationTests {
  private struct Outcome {
    let status: Int32
    let output: String
  }

  /// Whether the program can record calls: on Linux, without a sanitizer, which must be loaded first itself.
  private static let canRecord: Bool = {
    #if os(Linux)
    return FileManager.default.fileExists(
      atPath: folder.appendingPathComponent("SimulationProgram").path
    )
      && !isSanitized
    #else
    return false
    #endif
  }()

  private static let isSanitized =
    dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

  private static let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()

  private func run(_ arguments: String) throws -> Outcome {
    let process = Process()
    process.executableURL = Self.folder.appendingPathComponent("SimulationProgram")
    process.arguments = arguments.split(separator: " ").map(String.init)
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Outcome(
      status: process.terminationStatus,
      output: String(decoding: output, as: UTF8.self)
    )
  }

  @Test(
    "After a power failure a store is the old one or the new one, and what was promised is there",
    .enabled(if: canRecord, "calls cannot be recorded here"),
    arguments: [1, 2]
  )
  func keepsPromises(_ half: Int) throws {
    let outcome = try run("--seed \(half) --step 2 --rounds 40 --states 330")
    #expect(outcome.status == 0, "\(outcome.output)")
  }

  @Test(
    "After a failed call of the system the step throws an error or succeeds, and can be repeated",
    .enabled(if: canRecord, "calls cannot be recorded here")
  )
  func survivesFailedCalls() throws {
    let outcome = try run("--faults 150")
    #expect(outcome.status == 0, "\(outcome.output)")
  }

  @Test(
    "Processes that are killed and stopped while they save lose no update, and readers see whole saves",
    .enabled(if: canRecord, "calls cannot be recorded here")
  )
  func losesNoUpdates() throws {
    let outcome = try run("--writers 3 --seconds 2")
    #expect(outcome.status == 0, "\(outcome.output)")
  }

  @Test(
    "Long work uses no more memory, descriptors and threads at its end than at its start",
    .enabled(if: canRecord, "calls cannot be recorded here"),
    arguments: ["list --turns 100", "contexts --turns 800"]
  )
  func endures(_ work: String) throws {
    let outcome = try run("--endurance \(work)")
    #expect(outcome.status == 0, "\(outcome.output)")
    let leaking = try run("--endurance \(work) --leaks yes")
    #expect(leaking.status == 1 && leaking.output.contains("descriptors stay open"))
  }

  @Test(
    "The checks of killed processes find overwritten transfers, torn reads and a list that misses transactions",
    .enabled(if: canRecord, "calls cannot be recorded here"),
    arguments: ["update", "read", "list"]
  )
  func findsMistakes(_ mistake: String) throws {
    let outcome = try run("--writers 3 --turns 150 --life 100 --mistake \(mistake)")
    #expect(outcome.status == 1 && outcome.output.contains("FAILED"), "\(outcome.output)")
  }

  @Test(
    "The simulation finds faults that are planted in the order of the calls, and in the transactions",
    .enabled(if: canRecord, "calls cannot be recorded here")
  )
  func findsPlantedFaults() throws {
    let outcome = try run("--planted all --states 300")
    #expect(outcome.status == 0, "\(outcome.output)")
    #expect(outcome.output.split(separator: "\n").count == PlantedBug.allCases.count)
  }
}
