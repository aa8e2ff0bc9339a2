// SPDX-License-Identifier: Apache-2.0

import CoreData

/// Runs one workload at one size and prints one line; the status is 3 for a workload that is not here.
@main
struct Main {
  static func main() throws {
    guard let options = Options(CommandLine.arguments.dropFirst()) else {
      stop("usage: coredata-bench --workload W --n N [--impl NAME] [--reps R] [--dir DIR]", 2)
    }
    var bench = Bench(options)
    guard try bench.run() else { stop("no workload \(options.workload)", 3) }
    if !options.workload.hasPrefix(Template.workload) { print(bench.measurement.line(options)) }
  }

  private static func stop(_ text: String, _ status: Int32) -> Never {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
    exit(status)
  }
}
