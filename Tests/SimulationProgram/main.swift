// SPDX-License-Identifier: Apache-2.0

import CrashSimulation
import Foundation

// The library that records calls must be loaded before the C library, so the program starts itself again.
let isRestarted = ProcessInfo.processInfo.environment["LD_PRELOAD"] != nil
if !CallRecorder.isAvailable, !isRestarted {
  let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
  let library = program.deletingLastPathComponent()
    .appendingPathComponent("libCoreDataCallRecorder.so")
  setenv("LD_PRELOAD", library.path, 1)
  // Sets then have the same order in each run.
  setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
  var arguments = CommandLine.arguments.map { strdup($0) }
  arguments.append(nil)
  execv(program.path, arguments)
  FileHandle.standardError.write(Data("the program cannot be started again\n".utf8))
  exit(2)
}
do {
  let command = try SimulationCommand(Array(CommandLine.arguments.dropFirst()))
  exit(try command.run() ? 0 : 1)
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(2)
}
