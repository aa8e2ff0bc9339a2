// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An `.xcdatamodeld` folder, an `.xcdatamodel` folder that is not inside an `.xcdatamodeld` folder, or an
/// `.xcmappingmodel` folder.
struct ModelFolder {
  let url: URL
  /// The folder, and the files in it that the tool reads: for a model, the contents of each version and the
  /// file that names the current version; for a mapping model, `xcmapping.xml`.
  ///
  /// SwiftPM warns about a folder that is neither a resource nor an input of a command.
  let inputs: [URL]

  init(url: URL, files: [URL]) {
    self.url = url
    inputs = [url] + files.filter { FileManager.default.fileExists(atPath: $0.path) }
  }

  /// The name of the folder without its extension; the name of the generated file begins with this name.
  var name: String { url.deletingPathExtension().lastPathComponent }

  /// The name of the generated file.
  var outputName: String {
    url.pathExtension == "xcmappingmodel" ? "\(name)+Mapping.swift" : "\(name)+Model.swift"
  }

  /// The name of the compiled model; nil for a mapping model, and for an `.xcdatamodel` with composite
  /// attributes, because their format in a `.mom` is not known.
  var compiledName: String? {
    switch url.pathExtension {
    case "xcdatamodeld": "\(name).momd"
    case "xcdatamodel": hasCompositeAttributes ? nil : "\(name).mom"
    default: nil
    }
  }

  private var hasCompositeAttributes: Bool {
    inputs.dropFirst().contains { file in
      (try? Data(contentsOf: file))?.range(of: Data("attributeType=\"Composite\"".utf8)) != nil
    }
  }

  /// Returns the mapping models in `directory` and its subfolders, sorted by path; mapping models in hidden
  /// folders are left out.
  static func mappingModels(in directory: URL) -> [ModelFolder] {
    children(of: directory).flatMap { child -> [ModelFolder] in
      if child.lastPathComponent.hasPrefix(".") || !isFolder(child) { return [] }
      if child.pathExtension == "xcmappingmodel" {
        let file = child.appendingPathComponent("xcmapping.xml")
        return [ModelFolder(url: child, files: [file])]
      }
      return mappingModels(in: child)
    }
  }

  /// Returns the models in `directory` and its subfolders, sorted by path; models in hidden folders are left
  /// out.
  static func all(in directory: URL) -> [ModelFolder] {
    children(of: directory).flatMap { child -> [ModelFolder] in
      let name = child.lastPathComponent
      if name.hasPrefix(".") || !isFolder(child) { return [] }
      if child.pathExtension == "xcdatamodeld" {
        let versions = children(of: child).filter { $0.pathExtension == "xcdatamodel" }
        let mark = child.appendingPathComponent(".xccurrentversion")
        return [ModelFolder(url: child, files: versions.flatMap(contents) + [mark])]
      }
      if child.pathExtension == "xcdatamodel" {
        return [ModelFolder(url: child, files: contents(child))]
      }
      return all(in: child)
    }
  }

  /// The possible files of a version: `contents` (XML), or `elements`, the binary form before Xcode 4.
  private static func contents(_ version: URL) -> [URL] {
    ["contents", "elements"].map(version.appendingPathComponent)
  }

  private static func children(of folder: URL) -> [URL] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().map { folder.appendingPathComponent($0) }
  }

  private static func isFolder(_ url: URL) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
      && isFolder.boolValue
  }
}
