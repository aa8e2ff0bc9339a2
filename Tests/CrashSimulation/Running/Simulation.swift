// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Records scenarios, makes their crash states and judges them.
package final class Simulation {
  private let folder: URL
  private let statesOfRound: Int
  /// Of how many distinct states the library opens one, besides the first of each outcome.
  private let sample: Int
  package private(set) var tally = Tally()

  /// Creates a simulation in an empty folder, preferably one in memory.
  package init(folder: URL, statesOfRound: Int, sample: Int) {
    self.folder = folder
    self.statesOfRound = statesOfRound
    self.sample = sample
  }

  private struct Recorded {
    let recording: Recording
    let stage: Stage
  }

  /// Runs one round; returns the first failure.
  ///
  /// - Throws: the errors of the scenario itself, without any failure of power.
  package func run(_ round: Round) throws -> Failure? {
    let place = folder.appendingPathComponent("recorded")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer {
      // The folder of the simulation is removed at the end in any case.
      try? FileManager.default.removeItem(at: place)
    }
    let recorded = try record(round, place)
    tally.rounds += 1
    tally.events += recorded.recording.events.count
    return judge(round, recorded)
  }

  // MARK: Recording

  private func record(_ round: Round, _ place: URL) throws -> Recorded {
    guard let recorder = CallRecorder(folder: place) else {
      throw SimulationError("the process was started without the library that records calls")
    }
    let stage = Stage(
      folder: place,
      promise: round.promise,
      dice: Dice(round.seed),
      recorder: recorder,
      bug: round.bug
    )
    recorder.start()
    defer { recorder.stop() }
    try round.scenario.run(stage)
    recorder.stop()
    if let obstacle = recorder.obstacles.first {
      throw SimulationError("\(round.name): the recorder \(obstacle)")
    }
    try requireComplete(recorder.recording, place, round)
    let recording = round.bug?.planted(in: recorder.recording) ?? recorder.recording
    return Recorded(recording: recording, stage: stage)
  }

  /// Checks that the recorded events lead to the files that are really there, so that no call was missed.
  private func requireComplete(_ recording: Recording, _ place: URL, _ round: Round) throws {
    var disk = Disk()
    var own: Set<Int> = []
    for event in recording.events { disk.apply(event, own: &own) }
    let tree = disk.tree(recording.folders)
    var found: Set<String> = []
    let paths = FileManager.default.enumerator(atPath: place.path)
    while let path = paths?.nextObject() as? String {
      found.insert(path)
      // The index of a log is shared memory, whose content a power failure does not keep.
      guard let node = tree[path], !recording.folders.contains(node), !path.hasSuffix("-shm")
      else { continue }
      let content = try Data(contentsOf: place.appendingPathComponent(path))
      let file = disk.files[node] ?? FileBuffer()
      if content != Data(file.content) {
        throw SimulationError("\(round.name): not all writes of \(path) were recorded")
      }
    }
    if found != Set(tree.keys) {
      let difference = found.symmetricDifference(tree.keys).sorted()
      throw SimulationError("\(round.name): not all changes of names were recorded: \(difference)")
    }
  }

  // MARK: Judging

  private func judge(_ round: Round, _ recorded: Recorded) -> Failure? {
    let recording = recorded.recording
    let judge = Judge(recording, round.promise, stores: recorded.stage.stores)
    let wrong = judge.violationsWithoutFailure
    if !wrong.isEmpty {
      return Failure(
        round: round,
        kind: nil,
        point: recording.events.count,
        states: 0,
        violations: wrong,
        lost: [],
        last: []
      )
    }
    var dice = Dice(round.seed ^ 0xD15C)
    var point = CrashPoint(recording)
    var outcomes: Set<[Int]> = []
    var made = 0
    defer { tally.distinct += judge.distinct }
    for index in places(recording, &dice) {
      point.advance(to: index)
      let kinds = point.pending.isEmpty ? [.everything] : CrashState.Kind.allCases
      for kind in kinds {
        let state = point.state(kind, &dice)
        let disk = point.disk(state.choices)
        made += 1
        tally.states[kind, default: 0] += 1
        tally.scenarios[round.scenario.rawValue, default: 0] += 1
        let known = judge.distinct
        let verdict = judge.verdict(index, disk)
        var violations = verdict.violations
        if verdict.orphans > 0 { tally.statesWithOrphans += 1 }
        if violations.isEmpty, judge.distinct > known {
          let isNew = outcomes.insert(verdict.outcome).inserted
          if isNew || judge.distinct % sample == 0 {
            tally.opened += 1
            violations = check(disk, recorded)
          }
        }
        if violations.isEmpty { continue }
        return failure(round, judge, point, state, violations, made, recorded)
      }
    }
    return nil
  }

  /// Chooses the moments at which the power fails: half of them evenly over the recording, half of them after
  /// changes of names and synchronizations, because what may be lost changes there most.
  private func places(_ recording: Recording, _ dice: inout Dice) -> [Int] {
    let count = max(2, statesOfRound / CrashState.Kind.allCases.count)
    let last = recording.events.count
    let turns = recording.events.indices.filter { number in
      if case .write = recording.events[number] { false } else { true }
    }
    var places: [Int] = []
    for number in 0..<count / 2 {
      let part = (last + 1) * 2 / count
      places.append(min(last, number * (last + 1) * 2 / count + dice.below(part)))
      if !turns.isEmpty { places.append(turns[dice.below(turns.count)] + 1) }
    }
    return places.sorted()
  }

  private func check(_ disk: Disk, _ recorded: Recorded) -> [String] {
    LibraryCheck(
      disk,
      recorded.recording,
      stores: recorded.stage.stores,
      keepsHistory: recorded.stage.keepsHistory,
      folder: folder.appendingPathComponent("state")
    ).violations()
  }

  /// Makes a failing state smaller: each event is put on the disk if the state still fails.
  private func failure(
    _ round: Round,
    _ judge: Judge,
    _ point: CrashPoint,
    _ state: CrashState,
    _ violations: [String],
    _ made: Int,
    _ recorded: Recorded
  ) -> Failure {
    var (choices, violations) = (state.choices, violations)
    for place in choices.indices {
      if case .present = choices[place] { continue }
      var fewer = choices
      fewer[place] = .present
      let disk = point.disk(fewer)
      let verdict = judge.verdict(point.index, disk)
      let left = verdict.violations.isEmpty ? check(disk, recorded) : verdict.violations
      if !left.isEmpty { (choices, violations) = (fewer, left) }
    }
    let lost = zip(point.pending, choices).compactMap { number, choice -> String? in
      switch choice {
      case .present: nil
      case .absent: "\(number): \(recorded.recording.text(number))"
      case .torn: "\(number), in part: \(recorded.recording.text(number))"
      }
    }
    let last = (max(0, point.index - 6)..<point.index).map {
      "\($0): \(recorded.recording.text($0))"
    }
    return Failure(
      round: round,
      kind: state.kind,
      point: point.index,
      states: made,
      violations: violations,
      lost: lost,
      last: last
    )
  }
}

/// An error of the simulation itself.
package struct SimulationError: Error, CustomStringConvertible {
  package let description: String
  init(_ description: String) { self.description = description }
}
