// SPDX-License-Identifier: Apache-2.0

/// Something that takes any bytes and must neither trap nor break a law.
protocol FuzzTarget {
  /// Handles one input; a law that does not hold stops the program with `broken`.
  mutating func run(_ bytes: UnsafeBufferPointer<UInt8>)
}

/// The targets by the names that `scripts/fuzz` takes.
let targets: [String: @Sendable () -> any FuzzTarget] = [
  "archive": { ArchiveTarget() }, "format": { FormatTarget() }, "metadata": { MetadataTarget() },
  "model": { ModelTarget() }, "plist": { PropertyListTarget() },
]

/// Reports a broken law; libFuzzer keeps the input.
func broken(_ law: String, _ details: String) -> Never {
  fatalError("\(law)\n\(details)")
}
