// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Times of the repetitions, and what was computed.
struct Measurement {
  private var milliseconds: [Double] = []
  /// Compared with the check of the other implementations.
  var check = ""

  /// Runs `body` and keeps its time.
  ///
  /// A function of its own, so that profilers can count what runs inside it.
  @inline(never)
  mutating func time<T>(_ body: () throws -> T) rethrows -> T {
    let clock = ContinuousClock()
    let start = clock.now
    let result = try body()
    milliseconds.append((clock.now - start) / .milliseconds(1))
    return result
  }

  /// Runs `base` and then `body`, and keeps the difference of their times.
  mutating func time(beyond base: () throws -> Void, _ body: () throws -> Void) rethrows {
    try time(base)
    try time(body)
    let whole = milliseconds.removeLast()
    milliseconds.append(whole - milliseconds.removeLast())
  }

  /// The contract's line.
  func line(_ options: Options) -> String {
    let sorted = milliseconds.sorted()
    let half = sorted.count / 2
    let median =
      sorted.isEmpty
      ? 0 : sorted.count % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
    func text(_ number: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", number) }
    return """
      {"impl":"\(options.impl)","workload":"\(options.workload)","n":\(options.count),\
      "ms":\(text(median, 4)),"rss_mb":\(text(Self.peakMegabytes, 1)),\
      "min_ms":\(text(sorted.first ?? 0, 4)),"reps":\(sorted.count),"check":"\(check)"}
      """
  }

  /// Peak resident set of this process.
  private static var peakMegabytes: Double {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    let kilobytes = line.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Double($0) }
    return (kilobytes ?? 0) / 1024
  }
}
