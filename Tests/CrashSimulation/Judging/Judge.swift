// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Decides whether crash states of one recording keep the promise.
package final class Judge {
  /// What a state contains of one store, if it may be so.
  package struct Verdict {
    /// What is wrong; empty if the state keeps the promise.
    package var violations: [String] = []
    /// The identities of the contents of all stores, and whether files are left over.
    package var outcome: [Int] = []
    /// The number of files of large values that no row refers to.
    package var orphans = 0
  }

  package let recording: Recording
  package let promise: Promise
  package let stores: [StorePaths]
  private let reader = DatabaseReader()
  /// For each store the content after each number of steps.
  private var expected: [[DatabaseContent]] = []
  /// The disk with all events.
  private var complete = Disk()
  private var verdicts: [Int: Verdict] = [:]
  /// The number of distinct states that were judged.
  package private(set) var distinct = 0

  package init(_ recording: Recording, _ promise: Promise, stores: [StorePaths]) {
    self.recording = recording
    self.promise = promise
    self.stores = stores
    var own: Set<Int> = []
    expected = stores.map { _ in [] }
    var next = 0
    for end in [0] + recording.steps.map(\.end) {
      while next < end {
        complete.apply(recording.events[next], own: &own)
        next += 1
      }
      let tree = complete.tree(recording.folders)
      for (place, store) in stores.enumerated() {
        expected[place].append(content(of: store, tree, complete))
      }
    }
    while next < recording.events.count {
      complete.apply(recording.events[next], own: &own)
      next += 1
    }
  }

  /// Returns what is wrong with the states after the steps themselves, without any failure.
  package var violationsWithoutFailure: [String] {
    zip(stores, expected).flatMap { store, contents in
      contents.enumerated().flatMap { step, content in
        content.damage.map { "\(store.database) after step \(step): \($0)" }
      }
    }
  }

  private func content(
    of store: StorePaths,
    _ tree: [String: Int],
    _ disk: Disk
  ) -> DatabaseContent {
    func file(_ path: String) -> FileBuffer? {
      tree[path].map { disk.files[$0] ?? FileBuffer() }
    }
    return reader.content(
      file(store.database),
      log: file(store.log),
      journal: file(store.journal)
    )
  }

  /// The contents that a store may have: after which steps.
  private func allowed(_ point: Int, _ store: StorePaths) -> ClosedRange<Int> {
    let floor = promise.floor(recording, point, store)
    let first = recording.steps.prefix { $0.end <= floor }.count
    let done = recording.steps.prefix { $0.end <= point }.count
    let isInStep = done < recording.steps.count && recording.steps[done].start < point
    return min(first, done)...(isInStep ? done + 1 : done)
  }

  /// Judges a state.
  package func verdict(_ point: Int, _ disk: Disk) -> Verdict {
    let tree = disk.tree(recording.folders)
    let ranges = stores.map { allowed(point, $0) }
    var hasher = Hasher()
    hasher.combine(ranges)
    for (path, node) in tree.sorted(by: { $0.key < $1.key }) where !path.hasSuffix("-shm") {
      hasher.combine(path)
      disk.files[node]?.hash(into: &hasher)
    }
    let hash = hasher.finalize()
    if let known = verdicts[hash] { return known }
    distinct += 1
    var verdict = Verdict()
    for (place, store) in stores.enumerated() {
      judge(store, expected[place], ranges[place], tree, disk, &verdict)
    }
    verdicts[hash] = verdict
    return verdict
  }

  private func judge(
    _ store: StorePaths,
    _ expected: [DatabaseContent],
    _ range: ClosedRange<Int>,
    _ tree: [String: Int],
    _ disk: Disk,
    _ verdict: inout Verdict
  ) {
    let content = content(of: store, tree, disk)
    verdict.outcome.append(content.identity)
    if !range.contains(where: { expected[$0].identity == content.identity }) {
      verdict.violations.append(wrong(content, expected, range, store))
    }
    verdict.violations += content.damage.map { "\(store.database): \($0)" }
    for name in content.references {
      let path = "\(store.values)/\(name)"
      guard let node = tree[path] else {
        verdict.violations.append("\(store.database): the file \(name) of a large value is missing")
        continue
      }
      let whole = complete.files[node] ?? FileBuffer()
      if disk.files[node]?.isEqual(to: whole) != true {
        verdict.violations.append(
          "\(store.database): the file \(name) of a large value is incomplete"
        )
      }
    }
    let files = tree.keys.filter { $0.hasPrefix(store.values + "/") }
    verdict.orphans += max(0, files.count - content.references.count)
    verdict.outcome.append(files.count > content.references.count ? 1 : 0)
  }

  private func wrong(
    _ content: DatabaseContent,
    _ expected: [DatabaseContent],
    _ range: ClosedRange<Int>,
    _ store: StorePaths
  ) -> String {
    let steps = recording.steps
    func name(_ step: Int) -> String { step == 0 ? "the beginning" : "“\(steps[step - 1].name)”" }
    let wanted = range.map(name).joined(separator: " or ")
    if let step = expected.firstIndex(where: { $0.identity == content.identity }) {
      return
        "\(store.database) is as after \(name(step)) (step \(step)) instead of \(wanted) (\(range))"
    }
    let nearest = expected[range.upperBound]
    return
      "\(store.database) is between: not as after \(wanted) (\(range)); from the latter it differs in "
      + content.difference(from: nearest)
  }
}
