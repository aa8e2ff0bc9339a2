// SPDX-License-Identifier: Apache-2.0

/// Measures the times of a sample's batches for each mapping.
///
/// The first batch of each pass is left out, because it includes the preparation of statements.
final class MappingTimes {
  struct Limits {
    /// The number of measured objects after which a pass of a mapping ends.
    let size: Int
    /// The number of measured seconds after which a pass of a mapping ends.
    let longest: Double
  }

  private struct Pass {
    var hasBegun = false
    var seconds = 0.0
    var objects = 0
  }

  /// The passes of each mapping, by the index of the mapping.
  private var passes: [[Pass]]
  private var started = ContinuousClock.now

  init(count: Int) { passes = Array(repeating: [], count: count) }

  /// Begins the next pass of the mapping at `index`.
  func begin(_ index: Int) {
    passes[index].append(Pass())
    started = .now
  }

  /// Restarts the time of the current batch, so that the work since the last batch is not measured.
  func restart() { started = .now }

  /// Records the end of a batch; returns whether the pass has reached one of its limits.
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

  /// Returns the average seconds per object of a mapping, as the sum for all passes; nil if no pass had more
  /// than one batch.
  func rate(_ index: Int) -> Double? {
    let measured = passes[index].filter { $0.objects > 0 }
    if measured.isEmpty { return nil }
    return measured.reduce(0) { $0 + $1.seconds / Double($1.objects) }
  }
}
