// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Repeats one kind of work for a time or a number of turns after a warm-up, and compares what the process uses near
/// the start, in the middle and near the end.
struct EnduranceRun {
  enum Length {
    case seconds(Double), turns(Int)
  }

  let length: Length
  /// The turns per second; nil for as many as possible.
  let rate: Double?
  /// The percentage of one processor core that the work may use.
  let share: Double
  /// Whether each turn leaks on purpose, to show that a leak is found.
  let leaks: Bool

  private static let sampleCount = 400
  /// The time in seconds after which all idle threads have ended.
  private static let rest = 12.0

  /// Whether the process is also compared at rest: after the warm-up, in the middle and at the end.
  private var isLong: Bool {
    if case .seconds(let seconds) = length { seconds >= 300 } else { false }
  }

  private struct Sample {
    let part: Double
    let use: ProcessUse
  }

  /// One line of the table: the samples of a part of the run.
  private struct Line {
    let name: String
    private let uses: [ProcessUse]

    init(_ name: String, _ samples: [Sample], _ range: ClosedRange<Double>) {
      self.name = name
      uses = samples.filter { range.contains($0.part) }.map(\.use)
    }

    func median(_ value: (ProcessUse) -> Int) -> Int {
      let values = uses.map(value).sorted()
      return values.isEmpty ? 0 : values[values.count / 2]
    }

    func least(_ value: (ProcessUse) -> Int) -> Int { uses.map(value).min() ?? 0 }

    func most(_ value: (ProcessUse) -> Int) -> Int { uses.map(value).max() ?? 0 }

    private func range(_ value: (ProcessUse) -> Int) -> String {
      let (least, most) = (least(value), most(value))
      return least == most ? "\(most)" : "\(least)–\(most)"
    }

    var text: String {
      let memory = [median(\.resident), median(\.own), median(\.engine)].map { "\($0 / 1024) KB" }
      let fields = memory + [range(\.descriptors), range(\.threads)]
      return "| \(name) | \(fields.joined(separator: " | ")) |"
    }
  }

  /// Does the work in a folder; returns the result as text, and whether nothing was wrong.
  func run(_ work: any EnduranceWork) throws -> (text: String, isRight: Bool) {
    let clock = ContinuousClock()
    try work.warmUp(isLong: isLong)
    var rests = try atRest(work)
    let begin = clock.now
    let processor = ProcessUse.processorTime
    var samples: [Sample] = []
    samples.reserveCapacity(Self.sampleCount + 2)
    var (turns, minutes) = (0, 0)
    var leaked: [UnsafeMutableRawPointer] = []
    func elapsed() -> Double { Self.seconds(clock.now - begin) }
    func part() -> Double {
      switch length {
      case .seconds(let seconds): elapsed() / seconds
      case .turns(let count): Double(turns) / Double(count)
      }
    }
    var now = 0.0
    while now < 1 {
      try work.turn()
      turns += 1
      if leaks {
        leaked.append(.allocate(byteCount: 4096, alignment: 16))
        if turns % 5 == 0 { _ = dup(0) }
      }
      now = part()
      if now * Double(Self.sampleCount) >= Double(samples.count + 1) {
        try work.wait()
        let use = try ProcessUse.now()
        samples.append(Sample(part: now, use: use))
        if isLong, Int(elapsed() / 60) > minutes {
          minutes = Int(elapsed() / 60)
          note("\(minutes) min, \(turns) turns: \(use.text)")
        }
      }
      if rests.count == 1, now >= 0.5 { rests += try atRest(work) }
      pause(turns, elapsed(), ProcessUse.processorTime - processor)
    }
    rests += try atRest(work)
    let (seconds, used) = (elapsed(), ProcessUse.processorTime - processor)
    let wrong = try work.violations()
    return report(rests, samples, turns, seconds, used, work, wrong)
  }

  /// Waits until all work is done, and in a long run until idle threads have ended; returns what is in use then, for a
  /// long run.
  private func atRest(_ work: any EnduranceWork) throws -> [ProcessUse] {
    try work.wait()
    guard isLong else { return [] }
    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + Self.rest)
    let use = try ProcessUse.now()
    note("at rest: \(use.text)")
    return [use]
  }

  /// Writes one line at once, also to a file.
  private func note(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
  }

  /// Waits for the next turn.
  private func pause(_ turns: Int, _ seconds: Double, _ processor: Double) {
    let ofRate = rate.map { Double(turns) / $0 - seconds } ?? 0
    let ofShare = processor / (share / 100) - seconds
    let wait = max(ofRate, ofShare)
    if wait > 0.000_1 { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + min(wait, 5)) }
  }

  private static func seconds(_ duration: Duration) -> Double {
    Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
  }

  private func report(
    _ rests: [ProcessUse],
    _ samples: [Sample],
    _ turns: Int,
    _ seconds: Double,
    _ processor: Double,
    _ work: any EnduranceWork,
    _ violations: [String]
  ) -> (String, Bool) {
    var lines = [
      Line("start", samples, 0.05...0.2), Line("middle", samples, 0.42...0.57),
      Line("end", samples, 0.85...2),
    ]
    let names = ["rest after the warm-up", "rest in the middle", "rest at the end"]
    let atRest = zip(names, rests).map { Line($0, [Sample(part: 0, use: $1)], 0...0) }
    lines += atRest
    var wrong = violations
    // While there is work, the number of threads changes with it.
    let (start, end) = isLong ? (atRest[0], lines[lines.count - 1]) : (lines[0], lines[2])
    func stays(_ value: (ProcessUse) -> Int) -> Bool {
      end.least(value) > (isLong ? start.least(value) : work.limit)
    }
    if stays(\.descriptors) { wrong.append("descriptors stay open") }
    if stays(\.threads) { wrong.append("threads stay") }
    func grows(_ value: (ProcessUse) -> Int, since start: Line) -> Int? {
      let growth = end.median(value) - start.median(value)
      let tolerated = start.median(value) / 20 + (isLong ? 256 : 16 * 1024) * 1024
      return growth > tolerated ? growth / 1024 : nil
    }
    if let growth = grows(\.own, since: start) { wrong.append("memory grows by \(growth) KB") }
    // The page caches of the connections fill in the first half.
    let filled = isLong ? atRest[1] : lines[1]
    if let growth = grows(\.engine, since: filled) {
      wrong.append("memory of SQLite grows by \(growth) KB")
    }
    let rate = String(format: "%.1f", Double(turns) / seconds)
    let core = String(format: "%.0f %%", processor / seconds * 100)
    let text = """
      \(work.name): \(work.done) in \(turns) turns and \(Int(seconds)) s (\(rate) turns a second, \(core) of a core)
      | | RSS | allocated | by SQLite | descriptors | threads |
      |---|---|---|---|---|---|
      \(lines.map(\.text).joined(separator: "\n"))
      """
    return ((wrong.map { "FAILED: \($0)" } + [text]).joined(separator: "\n"), wrong.isEmpty)
  }
}
