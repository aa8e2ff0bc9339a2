// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads models from Xcode's files: contents files, and the binary `elements` of tools before Xcode 4.
///
///     let draft = try ModelFile.draft(at: URL(fileURLWithPath: "Shop.xcdatamodeld"))
///     let model = try ModelDefinition(draft)
///
/// Source: observed, model files of public repositories.
package enum ModelFile {
  /// One version of a model: its name, the file that holds it, and whether it is the current one.
  package struct Version: Sendable, Hashable {
    /// Name of the `.xcdatamodel` folder without its extension.
    package let name: String
    /// The `contents` file, or where there is none the `elements` file.
    package let contents: URL
    package let isCurrent: Bool
  }

  /// The model in a `.xcdatamodeld` (its current version), `.xcdatamodel` or bare contents file.
  ///
  /// - Throws: `ModelError` with the file, and where one is to blame its line and element.
  package static func draft(at url: URL) throws -> ModelDraft {
    let contents = try contents(at: url)
    let data: Data
    do {
      data = try Data(contentsOf: contents)
    } catch {
      throw ModelError(file: contents.path, reason: "the file cannot be read")
    }
    return try draft(xml: data, file: contents.path)
  }

  /// The model in the text of a contents file, or in the bytes of an elements file; errors name the file
  /// as `file`.
  ///
  /// - Throws: `ModelError` with file, line (not of an elements file), entity and property.
  package static func draft(xml data: Data, file: String) throws -> ModelDraft {
    do {
      return try ModelReader.draft(root(of: data, file: file), file: file)
    } catch var error as ModelError {
      error.file = error.file ?? file
      throw error
    }
  }

  private static func root(of data: Data, file: String?) throws -> MarkupElement {
    data.starts(with: Array("bplist".utf8))
      ? try ElementsReader.root(of: KeyedArchive(data))
      : try MarkupParser.root(of: data, file: file)
  }

  /// The text of a contents file that says what `draft` says.
  ///
  /// Over the text of an earlier file what still holds stays as it is, and what the reader does not
  /// understand is kept. The filter of a derived attribute and the order of a request have no place in
  /// these files and are left out.
  /// - Throws: `ModelError` where the earlier text is no model file, a value has no text, or a text has a
  ///   character that no XML file can have.
  package static func xml(_ draft: ModelDraft, over earlier: Data? = nil) throws -> Data {
    let old = try earlier.map { try root(of: $0, file: draft.file) }
    return try ModelWriter(draft).root(over: old).document()
  }

  /// The versions in a `.xcdatamodeld`, as people order names (2 before 10); a `.xcdatamodel` is the only
  /// version of itself.
  ///
  /// - Throws: `ModelError` where the folder holds none, or names a current version that it lacks.
  package static func versions(of url: URL) throws -> [Version] {
    if url.pathExtension != "xcdatamodeld" {
      let name = url.deletingPathExtension().lastPathComponent
      return [Version(name: name, contents: try contents(at: url), isCurrent: true)]
    }
    let folders = try versionFolders(of: url)
    let current = try currentFolder(of: url, among: folders)
    return folders.map { folder in
      Version(
        name: String(folder.dropLast(".xcdatamodel".count)),
        contents: contents(inVersion: url.appendingPathComponent(folder)),
        isCurrent: folder == current
      )
    }
  }

  /// The contents file that `draft(at:)` reads.
  package static func contents(at url: URL) throws -> URL {
    switch url.pathExtension {
    case "xcdatamodeld":
      guard let current = try versions(of: url).first(where: \.isCurrent) else {
        throw ModelError(file: url.path, reason: "the model has no current version")
      }
      return current.contents
    case "xcdatamodel":
      return isFolder(url) ? contents(inVersion: url) : url
    default:
      return url
    }
  }

  private static func contents(inVersion folder: URL) -> URL {
    let contents = folder.appendingPathComponent("contents")
    let elements = folder.appendingPathComponent("elements")
    let files = FileManager.default
    return !files.fileExists(atPath: contents.path) && files.fileExists(atPath: elements.path)
      ? elements : contents
  }

  private static func isFolder(_ url: URL) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
      && isFolder.boolValue
  }

  private static func versionFolders(of url: URL) throws -> [String] {
    // The error of this type names the folder.
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: url.path) else {
      throw ModelError(file: url.path, reason: "there is no such model folder")
    }
    let suffix = ".xcdatamodel"
    let folders = names.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }
      .sorted(by: naturallyLess).map { $0 + suffix }
    if folders.isEmpty {
      throw ModelError(file: url.path, reason: "the folder holds no .xcdatamodel")
    }
    return folders
  }

  /// The file in a `.xcdatamodeld` that names its current version.
  static let currentMark = ".xccurrentversion"

  /// What `.xccurrentversion` names; without that file the first version, and the only one where the file
  /// names none, as Xcode writes it for models of one version.
  private static func currentFolder(of url: URL, among folders: [String]) throws -> String {
    let mark = url.appendingPathComponent(currentMark)
    if FolderContent.isMissing(mark.path) { return folders[0] }
    let data: Data
    do {
      data = try Data(contentsOf: mark)
    } catch {
      throw ModelError(
        file: mark.path,
        reason: "the name of the current version cannot be read: \(error.localizedDescription)"
      )
    }
    let list: PropertyListNode
    do {
      list = try PropertyListReader.root(of: data)
    } catch let error as ModelError {
      throw ModelError(file: mark.path, reason: error.reason)
    }
    guard let name = list["_XCCurrentVersionName"]?.text else {
      if folders.count == 1 { return folders[0] }
      let names = folders.map { $0.dropLast(".xcdatamodel".count) }.joined(separator: ", ")
      throw ModelError(
        file: mark.path,
        reason: "it does not name the current version, one of \(names)"
      )
    }
    guard folders.contains(name) else {
      throw ModelError(file: mark.path, reason: "the current version “\(name)” does not exist")
    }
    return name
  }
}
