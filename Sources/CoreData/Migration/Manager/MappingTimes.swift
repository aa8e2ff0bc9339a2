// SPDX-License-Identifier: Apache-2.0

/// The times of the batches of a sample, by mapping.
///
/// The first batch of each pass is left out, because it includes the preparation of statements.
final class MappingTimes {
  struct Limits {
    /// The number of objects in each pass of a mapping.
    let size: Int
    /// The largest number of seconds for each pass of a mapping, apart from its first batch.
    let longest: Double
  }

  private struct Pass {
    var hasBegun = false
    var seconds = 0.0
    var objects = 0
  }

  /// The passes of each mapping.
  private var passes: [[Pass]]
  private var started = ContinuousClock.now

  init(count: Int) { passes = Array(repeating: [], count: count) }

  /// Begins a pass of a mapping.
  func begin(_ index: Int) {
    passes[index].append(Pass())
    started = .now
  }

  /// Notes the end of a batch; returns whether the pass has reached its limits.
  func endBatch(_ index: Int, _ objects: Int, _ limits: Limits) -> Bool {
    let now = ContinuousClock.now
    let seconds = (now - started) / .seconds(1)
    started = now
    var pass = passes[index].removeLast()
    if !pass.hasBegun {
      pass.hasBegun = true
    } else {
      pass.seconds += seconds
      pass.objects += objects
    }
    passes[index].append(pass)
    return pass.objects >= limits.size || pass.seconds >= limits.longest
  }

  /// Returns the seconds for each object of a mapping; nil if no pass had more than one batch.
  func rate(_ index: Int) -> Double? {
    let measured = passes[index].filter { $0.objects > 0 }
    if measured.isEmpty { return nil }
    return measured.reduce(0) { $0 + $1.seconds / Double($1.objects) }
  }
}
