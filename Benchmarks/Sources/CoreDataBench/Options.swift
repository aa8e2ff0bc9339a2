// SPDX-License-Identifier: Apache-2.0

/// The command line of the bench's contract.
struct Options {
  var impl = "ours"
  var workload = ""
  var count = 0
  var repetitions = 5
  var folder = "/tmp/cdbench/data"

  /// Nil where an option is unknown, has no value, or a needed one is missing.
  init?(_ arguments: some Sequence<String>) {
    var arguments = arguments.makeIterator()
    while let name = arguments.next() {
      guard let value = arguments.next() else { return nil }
      switch name {
      case "--impl": impl = value
      case "--workload": workload = value
      case "--n": count = Int(value) ?? 0
      case "--reps": repetitions = Int(value) ?? 0
      case "--dir": folder = value
      default: return nil
      }
    }
    if workload.isEmpty || count <= 0 || repetitions <= 0 { return nil }
  }
}
