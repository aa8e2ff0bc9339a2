// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A `.xcdatamodeld` folder, or a `.xcdatamodel` folder outside of one.
struct ModelFolder {
  let url: URL
  /// The files that decide what is generated: each version's contents, and the current version's mark.
  let inputs: [URL]

  /// Name without extension; the generated file carries it.
  var name: String { url.deletingPathExtension().lastPathComponent }

  /// The models anywhere below `directory`, sorted by path; hidden folders are
  /// passed over.
  static func all(in directory: URL) -> [ModelFolder] {
    children(of: directory).flatMap { child -> [ModelFolder] in
      let name = child.lastPathComponent
      if name.hasPrefix(".") || !isFolder(child) { return [] }
      if child.pathExtension == "xcdatamodeld" {
        let versions = children(of: child).filter { $0.pathExtension == "xcdatamodel" }
        let mark = child.appendingPathComponent(".xccurrentversion")
        return [ModelFolder(url: child, inputs: existing(versions.flatMap(contents) + [mark]))]
      }
      if child.pathExtension == "xcdatamodel" {
        return [ModelFolder(url: child, inputs: existing(contents(child)))]
      }
      return all(in: child)
    }
  }

  /// Where a version's model may stand: in text, or in the binary form of tools before Xcode 4.
  private static func contents(_ version: URL) -> [URL] {
    ["contents", "elements"].map(version.appendingPathComponent)
  }

  private static func children(of folder: URL) -> [URL] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().map { folder.appendingPathComponent($0) }
  }

  private static func existing(_ files: [URL]) -> [URL] {
    files.filter { FileManager.default.fileExists(atPath: $0.path) }
  }

  private static func isFolder(_ url: URL) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
      && isFolder.boolValue
  }
}
