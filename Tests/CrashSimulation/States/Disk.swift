// SPDX-License-Identifier: Apache-2.0

/// The files and folders of a simulated disk.
package struct Disk {
  package var files: [Int: FileBuffer] = [:]
  package var folders: [Int: [String: Int]] = [0: [:]]

  package init() {}

  /// Applies an event; `parts` are the ranges of a write that reach the disk, nil for all of it.
  ///
  /// A file that other disks share is copied before it changes, unless it is in `own`.
  package mutating func apply(
    _ event: DiskEvent,
    parts: [Range<Int>]? = nil,
    own: inout Set<Int>
  ) {
    switch event {
    case .sync: break
    case .entries(let entries):
      for entry in entries { folders[entry.folder, default: [:]][entry.name] = entry.node }
    case .resize(let node, let size): file(node, &own).resize(size)
    case .write(let node, let offset, let bytes):
      let file = file(node, &own)
      guard let parts else { return file.write(bytes.content, at: offset) }
      for part in parts {
        file.write(
          UnsafeRawBufferPointer(rebasing: bytes.content[part]),
          at: offset + part.lowerBound
        )
      }
    }
  }

  private mutating func file(_ node: Int, _ own: inout Set<Int>) -> FileBuffer {
    if own.contains(node), let file = files[node] { return file }
    let file = files[node]?.copy() ?? FileBuffer()
    files[node] = file
    own.insert(node)
    return file
  }

  /// Returns the nodes of all files and folders that can be reached from the recorded folder, by path.
  package func tree(_ folderNodes: Set<Int>) -> [String: Int] {
    var found: [String: Int] = [:]
    func walk(_ folder: Int, _ prefix: String) {
      for (name, node) in folders[folder] ?? [:] {
        found[prefix + name] = node
        if folderNodes.contains(node) { walk(node, prefix + name + "/") }
      }
    }
    walk(0, "")
    return found
  }
}
