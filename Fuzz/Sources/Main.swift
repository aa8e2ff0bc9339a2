// SPDX-License-Identifier: Apache-2.0

import Foundation

/// libFuzzer's loop; it calls back with each input and never returns from a trap.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Runs the target that the first argument names; the others are libFuzzer's.
@main
struct Main {
  // Set once, before the loop begins, and read on its thread alone.
  nonisolated(unsafe) private static var target: any FuzzTarget = FormatTarget()

  static func main() {
    let names = targets.keys.sorted().joined(separator: ", ")
    guard let name = CommandLine.arguments.dropFirst().first, let make = targets[name] else {
      FileHandle.standardError.write(Data("usage: coredata-fuzz TARGET …, one of: \(names)\n".utf8))
      exit(2)
    }
    target = make()
    // The target's name is ours; libFuzzer sees the program and what comes after it.
    var count = CommandLine.argc - 1
    // libFuzzer wants C's own array, which outlives everything.
    var arguments = CommandLine.unsafeArgv + 1
    arguments[0] = CommandLine.unsafeArgv[0]
    let status = runDriver(&count, &arguments) { bytes, count in
      Main.target.run(UnsafeBufferPointer(start: bytes, count: count))
      return 0
    }
    exit(status)
  }
}
