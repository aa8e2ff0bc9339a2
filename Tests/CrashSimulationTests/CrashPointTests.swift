// SPDX-License-Identifier: Apache-2.0

import CrashSimulation
import Testing

/// Which states of a disk are possible after a power failure.
@Suite struct CrashPointTests {
  private static func bytes(_ text: String) -> FileBuffer {
    var text = text
    return text.withUTF8 { FileBuffer(copying: UnsafeRawBufferPointer($0)) }
  }

  /// A file `a` with “one”, which is synchronized but not its name, and then gets “two”.
  private static func recording() -> Recording {
    var recording = Recording()
    recording.paths[1] = "a"
    recording.events = [
      .entries([.init(folder: 0, name: "a", node: 1)]),
      .write(node: 1, offset: 0, bytes: bytes("one")),
      .sync(node: 1),
      .write(node: 1, offset: 3, bytes: bytes("two")),
      .sync(node: 0),
    ]
    return recording
  }

  private func content(_ disk: Disk) -> String? {
    guard let node = disk.tree([0])["a"] else { return nil }
    return String(decoding: disk.files[node]?.content ?? .init(start: nil, count: 0), as: UTF8.self)
  }

  private func content(_ kind: CrashState.Kind, at index: Int) -> String? {
    var point = CrashPoint(Self.recording())
    var dice = Dice(1)
    point.advance(to: index)
    return content(point.disk(point.state(kind, &dice).choices))
  }

  @Test("A new file is only certain to exist after its folder was synchronized")
  func names() {
    #expect(content(.synchronized, at: 4) == nil)
    #expect(content(.everything, at: 4) == "onetwo")
    #expect(content(.synchronized, at: 5) == "one")
  }

  @Test("What was written after the last synchronization of a file may be missing")
  func writes() {
    var point = CrashPoint(Self.recording())
    point.advance(to: 5)
    #expect(point.pending == [3])
    #expect(content(point.disk([.absent])) == "one")
    #expect(content(point.disk([.present])) == "onetwo")
    #expect(content(point.disk([.torn([1..<3])])) == "one\0wo")
  }

  @Test("A state does not change the disk from which later states are made")
  func sharing() {
    var point = CrashPoint(Self.recording())
    point.advance(to: 5)
    _ = point.disk([.present])
    #expect(content(point.disk([.absent])) == "one")
  }

  @Test("Equal seeds give equal states")
  func seeds() {
    var recording = Recording()
    recording.events = (0..<50).map { .write(node: 1, offset: $0 * 700, bytes: Self.bytes("x")) }
    func states(_ seed: UInt64) -> [String] {
      var point = CrashPoint(recording)
      var dice = Dice(seed)
      point.advance(to: 50)
      return CrashState.Kind.allCases.map { "\(point.state($0, &dice).choices)" }
    }
    #expect(states(7) == states(7))
    #expect(states(7) != states(8))
  }
}
