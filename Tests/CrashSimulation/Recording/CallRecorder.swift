// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Records the calls of the system by which this process changes one folder.
///
/// The calls arrive from the library `CoreDataCallRecorder`, which replaces the functions of the C library. So the
/// recorder sees the calls of SQLite, of Foundation and of this project's code alike, in one order.
package final class CallRecorder {
  private static let symbol = "coredata_record_calls"
  private typealias Receiver =
    @convention(c) (
      Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?, Int32, Int32, UnsafeRawPointer?, Int, Int
    ) -> Void
  private typealias SetReceiver = @convention(c) (Receiver?) -> Void
  private enum Kind: Int32 {
    case open, write, resize, sync, unlink, rename, link, makeFolder, removeFolder, close
  }

  // Unsafe: set while no call is received; the C library passes on one call at a time.
  nonisolated(unsafe) private static var current: CallRecorder?

  /// Whether the process was started with the library that replaces the calls.
  package static var isAvailable: Bool { dlsym(nil, symbol) != nil }

  package private(set) var recording = Recording()
  private let root: String
  private var nodes: [String: Int] = ["": 0]
  private var descriptors: [Int32: Int] = [:]
  private var nodeCount = 1
  private let set: SetReceiver
  /// The calls that could not be understood, which make the recording useless.
  package private(set) var obstacles: [String] = []

  /// Creates a recorder of the changes of a folder, which must be empty.
  ///
  /// Returns nil if the process was started without the library that replaces the calls.
  package init?(folder: URL) {
    guard let function = dlsym(nil, Self.symbol) else { return nil }
    // The library exports a function of this type.
    set = unsafeBitCast(function, to: SetReceiver.self)
    root = folder.resolvingSymlinksInPath().path
  }

  package func start() {
    Self.current = self
    set { kind, path, other, descriptor, flags, bytes, count, offset in
      guard let kind = Kind(rawValue: kind) else { return }
      CallRecorder.current?.receive(
        kind,
        path.map { String(cString: $0) },
        other.map { String(cString: $0) },
        descriptor,
        flags,
        UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count),
        count,
        offset
      )
    }
  }

  package func stop() {
    set(nil)
    Self.current = nil
  }

  /// Runs `body` as a step; the step stays in the recording if `body` throws an error.
  package func step(_ name: String, _ body: () throws -> Void) rethrows {
    let start = recording.events.count
    defer {
      recording.steps.append(
        Recording.Step(name: name, start: start, end: recording.events.count)
      )
    }
    try body()
  }

  // MARK: Calls

  /// The path below the recorded folder; nil for paths elsewhere.
  private func relative(_ path: String?) -> String? {
    guard let path, path.hasPrefix(root) else { return nil }
    if path.utf8.count == root.utf8.count { return "" }
    let rest = path.dropFirst(root.count)
    return rest.first == "/" ? String(rest.dropFirst()) : nil
  }

  private func receive(
    _ kind: Kind,
    _ path: String?,
    _ other: String?,
    _ descriptor: Int32,
    _ flags: Int32,
    _ bytes: UnsafeRawBufferPointer,
    _ count: Int,
    _ offset: Int
  ) {
    switch kind {
    case .open:
      descriptors[descriptor] = nil
      if let path = relative(path) { opened(path, descriptor, flags) }
    case .close: descriptors[descriptor] = nil
    case .write:
      guard let node = descriptors[descriptor] else { return }
      add(.write(node: node, offset: offset, bytes: FileBuffer(copying: bytes)))
    case .resize:
      if let node = descriptors[descriptor] { add(.resize(node: node, size: count)) }
    case .sync:
      if let node = descriptors[descriptor] { add(.sync(node: node)) }
    case .unlink, .removeFolder:
      if let path = relative(path) { setNames([(path, nil)]) }
    case .rename:
      guard let old = relative(path), let new = relative(other) else { return }
      setNames([(old, nil), (new, nodes[old])])
    case .link:
      guard let old = relative(path), let new = relative(other) else { return }
      setNames([(new, nodes[old])])
    case .makeFolder:
      guard let path = relative(path) else { return }
      recording.folders.insert(nodeCount)
      setNames([(path, newNode(path))])
    }
  }

  private func opened(_ path: String, _ descriptor: Int32, _ flags: Int32) {
    if flags == 1 { setNames([(path, newNode(path))]) }
    guard let node = nodes[path] else {
      obstacles.append("opened \(path), whose creation was not recorded")
      return
    }
    descriptors[descriptor] = node
    if flags == 2 { add(.resize(node: node, size: 0)) }
  }

  private func newNode(_ path: String) -> Int {
    defer { nodeCount += 1 }
    recording.paths[nodeCount] = path
    return nodeCount
  }

  private func setNames(_ names: [(path: String, node: Int?)]) {
    var entries: [DiskEvent.Entry] = []
    for (path, node) in names {
      let parts = path.split(separator: "/")
      let parent = parts.dropLast().joined(separator: "/")
      guard let folder = nodes[parent], let name = parts.last else {
        return obstacles.append("changed \(path), whose folder was not recorded")
      }
      nodes[path] = node
      entries.append(DiskEvent.Entry(folder: folder, name: String(name), node: node))
    }
    add(.entries(entries))
  }

  private func add(_ event: DiskEvent) { recording.events.append(event) }
}
