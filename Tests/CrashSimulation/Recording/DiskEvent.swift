// SPDX-License-Identifier: Apache-2.0

/// One recorded change of the disk, or one synchronization.
///
/// A node is a file or a folder, whatever its names are; node 0 is the recorded folder.
package enum DiskEvent {
  /// What one name of a folder leads to after the event; nil if the name is removed.
  package struct Entry {
    package let folder: Int
    package let name: String
    package let node: Int?

    package init(folder: Int, name: String, node: Int?) {
      self.folder = folder
      self.name = name
      self.node = node
    }
  }

  /// Names are created, removed or changed, all at once.
  case entries([Entry])
  case write(node: Int, offset: Int, bytes: FileBuffer)
  case resize(node: Int, size: Int)
  /// All earlier changes of the file's content, or of the folder's names, are on the disk.
  case sync(node: Int)

  /// The file or folder that must be synchronized for this event to be on the disk.
  package var node: Int {
    switch self {
    case .entries(let entries): entries.first?.folder ?? 0
    case .write(let node, _, _), .resize(let node, _), .sync(let node): node
    }
  }
}

/// The events of one scenario in order.
package struct Recording {
  /// One call of the program that either happens or does not, such as a save.
  package struct Step {
    package let name: String
    /// The number of events before the step, and the number of events at its end.
    package let start: Int
    package var end: Int
  }

  package var events: [DiskEvent] = []
  package var steps: [Step] = []
  /// The nodes that are folders.
  package var folders: Set<Int> = [0]
  /// The first path of each node, for messages.
  package var paths: [Int: String] = [0: ""]

  package init() {}

  /// Returns a line that describes an event.
  package func text(_ number: Int) -> String {
    func path(_ node: Int) -> String {
      let path = paths[node] ?? "?"
      return path.isEmpty ? "the folder" : path
    }
    switch events[number] {
    case .entries(let entries):
      return "names: "
        + entries.map { "\(path($0.folder))/\($0.name) \($0.node == nil ? "removed" : "set")" }
        .joined(separator: ", ")
    case .write(let node, let offset, let bytes):
      return "write \(bytes.count) bytes at \(offset) of \(path(node))"
    case .resize(let node, let size): return "resize \(path(node)) to \(size)"
    case .sync(let node): return "synchronize \(path(node))"
    }
  }
}
