// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataTools

/// The Swift sources and the models of a project, read from its folders.
package struct SourceProject {
  /// The sources, sorted by path.
  package private(set) var sources: [SourcePort.Input] = []
  package private(set) var models: [ModelDefinition] = []
  /// A message for each model that cannot be read, with the path and the reason.
  package private(set) var modelProblems: [String] = []
  /// A message for each source or folder that cannot be read, with the path and the reason.
  package private(set) var unreadable: [String] = []
  /// The paths of the Objective-C sources that contain `NSManagedObject`.
  package private(set) var objectiveC: [String] = []

  /// Reads the files and folders at `paths`, except the files and folders at the paths `others`.
  ///
  /// Skips hidden folders, `Pods`, `Carthage`, `DerivedData`, `SourcePackages`, frameworks, and symbolic
  /// links in folders.
  ///
  /// - Throws: `ToolError` if there is no file or folder at a path, or if no source is found.
  package init(paths: [String], excluding others: [String] = []) throws {
    for path in others {
      _ = try Self.isFolder(path)
      excluded.insert(Self.absolute(path))
    }
    for path in paths {
      if try !Self.isFolder(path) {
        read(file: path)
      } else if !readModel(path) {
        read(folder: path)
      }
    }
    var seen: Set<String> = []
    sources = sources.filter { seen.insert($0.path).inserted }.sorted { $0.path < $1.path }
    if sources.isEmpty, unreadable.isEmpty, objectiveC.isEmpty {
      throw ToolError(
        "\(paths.joined(separator: ", ")): there are no Swift sources",
        hint: "Pass the folder of the project or of a target, or .swift files."
      )
    }
  }

  /// The absolute paths that are skipped.
  private var excluded: Set<String> = []

  private static func absolute(_ path: String) -> String {
    URL(fileURLWithPath: path).standardizedFileURL.path
  }

  private static func isFolder(_ path: String) throws -> Bool {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw ToolError("\(path): there is no file or folder at this path")
    }
    return isFolder.boolValue
  }

  private static let skipped: Set<String> = ["Pods", "Carthage", "DerivedData", "SourcePackages"]
  private static let skippedKinds: Set<String> = ["framework", "xcframework", "xcassets"]

  private mutating func read(folder: String) {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    } catch {
      unreadable.append("\(folder): the folder cannot be read: \(error.localizedDescription)")
      return
    }
    let prefix = folder == "." ? "" : folder.hasSuffix("/") ? folder : folder + "/"
    for name in names where !name.hasPrefix(".") && !Self.skipped.contains(name) {
      let path = prefix + name
      if !excluded.isEmpty, excluded.contains(Self.absolute(path)) { continue }
      // The error is dropped: a file that was just deleted is not part of the project.
      let type = try? FileManager.default.attributesOfItem(atPath: path)[.type]
      switch type as? FileAttributeType {
      case .typeDirectory:
        if Self.skippedKinds.contains(URL(fileURLWithPath: name).pathExtension) { continue }
        if !readModel(path) { read(folder: path) }
      case .typeRegular: read(file: path)
      default: continue
      }
    }
  }

  /// Reads the current version of a model; returns false if the folder is not a model.
  private mutating func readModel(_ path: String) -> Bool {
    guard
      ["xcdatamodeld", "xcdatamodel", "momd"].contains(URL(fileURLWithPath: path).pathExtension)
    else { return false }
    do {
      models.append(try ModelOpening.load(URL(fileURLWithPath: path)).definition)
    } catch {
      modelProblems.append("\(path): the model cannot be read: \(ToolError(error).message)")
    }
    return true
  }

  private mutating func read(file path: String) {
    let kind = URL(fileURLWithPath: path).pathExtension
    guard ["swift", "m", "mm"].contains(kind) else { return }
    do {
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      if kind != "swift" {
        if data.range(of: Data("NSManagedObject".utf8)) != nil { objectiveC.append(path) }
      } else if String(validating: data, as: UTF8.self) == nil {
        unreadable.append("\(path): the file is not UTF-8 text")
      } else {
        sources.append(SourcePort.Input(path: path, bytes: Array(data)))
      }
    } catch {
      unreadable.append("\(path): the file cannot be read: \(error.localizedDescription)")
    }
  }

  // MARK: Writing

  /// Replaces a source file with its rewritten text in one rename, and keeps the file's permissions.
  ///
  /// - Throws: Foundation's error if the file cannot be written, which leaves it unchanged, or if its
  /// permissions cannot be restored.
  package static func write(_ source: PortedSource) throws {
    let url = URL(fileURLWithPath: source.path).resolvingSymlinksInPath()
    let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
    guard FileManager.default.isWritableFile(atPath: url.path) else {
      throw CocoaError(.fileWriteNoPermission)
    }
    try Data(source.result).write(to: url, options: .atomic)
    if let permissions = attributes[.posixPermissions] {
      try FileManager.default.setAttributes(
        [.posixPermissions: permissions],
        ofItemAtPath: url.path
      )
    }
  }
}
