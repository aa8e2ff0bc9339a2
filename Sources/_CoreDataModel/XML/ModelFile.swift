// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads and writes Xcode's contents files, and reads the binary `elements` files of tools before Xcode 4.
///
///     let draft = try ModelFile.draft(at: URL(fileURLWithPath: "Shop.xcdatamodeld"))
///     let model = try ModelDefinition(draft)
///
/// Source: observed, model files of public repositories.
package enum ModelFile {
  /// A version of a model.
  package struct Version: Sendable, Hashable {
    /// The name, without extension, of the `.xcdatamodel` folder or, for a model that is a single file, of
    /// that file.
    package let name: String
    /// The file with the content of the version.
    ///
    /// In an `.xcdatamodel` folder, this is `contents` or, if only that file exists, `elements`.
    package let contents: URL
    package let isCurrent: Bool
  }

  /// Returns the model at `url`, which is an `.xcdatamodeld`, an `.xcdatamodel`, a `contents` file or an
  /// `elements` file.
  ///
  /// For an `.xcdatamodeld`, the current version is returned.
  ///
  /// - Throws: `ModelError` if the model cannot be read. The error names the file and, if they are known, the
  ///   line, the entity and the property.
  package static func draft(at url: URL) throws -> ModelDraft {
    let contents = try contents(at: url)
    let data: Data
    do {
      data = try Data(contentsOf: contents)
    } catch {
      if isFolder(contents) {
        throw ModelError(
          file: contents.path,
          reason:
            "this is a folder, but a model is an .xcdatamodeld, .xcdatamodel or .momd folder, or a contents or "
            + ".mom file"
        )
      }
      throw ModelError(
        file: contents.path,
        reason: "the file cannot be read: \(error.localizedDescription)"
      )
    }
    return try draft(xml: data, file: contents.path)
  }

  /// Returns the model in `data`, the content of a `contents` file or an `elements` file; errors name the
  /// path `file`.
  ///
  /// - Throws: `ModelError` if `data` cannot be read as a model. The error names the file and, if they are
  ///   known, the line, the entity and the property.
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

  /// Returns `draft` as the text of a `contents` file.
  ///
  /// If `earlier` is the text of an existing file, elements that the draft does not change are copied from
  /// that file, and anything that `ModelReader` ignores is preserved. The following are left out, because
  /// `contents` files cannot express them: the filter of a derived attribute, the sort descriptors of
  /// requests, the fetch limit of a fetched property, and version identifiers after the first.
  /// - Throws: `ModelError` if `earlier` cannot be parsed, if a value has no text form, or if a text has a
  ///   character that XML does not allow.
  package static func xml(_ draft: ModelDraft, over earlier: Data? = nil) throws -> Data {
    let old = try earlier.map { try root(of: $0, file: draft.file) }
    return try ModelWriter(draft).root(over: old).document()
  }

  /// Returns the versions in an `.xcdatamodeld`, in natural order (2 before 10).
  ///
  /// For any other URL, returns one version: the model at that URL.
  ///
  /// - Throws: `ModelError` if the folder does not exist, cannot be read or contains no version, or if the
  ///   current version is not known or does not exist.
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

  /// Returns the file that `draft(at:)` reads.
  ///
  /// `ModelFolder` in the build plugin must list this file among its inputs; a plugin cannot import this
  /// module.
  /// - Throws: the errors of `versions(of:)`.
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

  static func isFolder(_ url: URL) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
      && isFolder.boolValue
  }

  private static func versionFolders(of url: URL) throws -> [String] {
    let names = try FolderContent.names(ofModelFolder: url)
    let suffix = ".xcdatamodel"
    let folders = names.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }
      .sorted(by: naturallyLess).map { $0 + suffix }
    if folders.isEmpty {
      throw ModelError(file: url.path, reason: "the folder contains no .xcdatamodel folder")
    }
    return folders
  }

  static let currentVersionFileName = ".xccurrentversion"

  /// Returns whether the current version of a model is known.
  ///
  /// Returns false for an `.xcdatamodeld` that has several versions but no file `.xccurrentversion`. For such
  /// a model, `versions(of:)` returns the first version as the current one.
  ///
  /// - Throws: the errors of `versions(of:)`.
  package static func hasCurrentVersion(_ url: URL) throws -> Bool {
    if url.pathExtension != "xcdatamodeld" { return true }
    let mark = url.appendingPathComponent(currentVersionFileName)
    return try !FolderContent.isMissing(mark.path) || versionFolders(of: url).count == 1
  }

  /// Returns the name of the current version's folder, which the file `.xccurrentversion` contains.
  ///
  /// Returns the first folder if that file does not exist. Returns the only folder if the file contains no
  /// name, because Xcode writes no name for a model with one version.
  private static func currentFolder(of url: URL, among folders: [String]) throws -> String {
    let mark = url.appendingPathComponent(currentVersionFileName)
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
      throw ModelError(
        file: mark.path,
        line: error.line,
        reason: "the name of the current version cannot be read: \(error.reason)"
      )
    }
    guard let name = list["_XCCurrentVersionName"]?.text else {
      if folders.count == 1 { return folders[0] }
      throw ModelError(
        file: mark.path,
        reason:
          "the file has no text for the key _XCCurrentVersionName; set the key to the folder of the current "
          + "version, one of " + folders.joined(separator: ", ")
      )
    }
    guard folders.contains(name) else {
      throw ModelError(
        file: mark.path,
        reason:
          "the file names the current version “\(name)”, but the model has no such folder; its folders are "
          + folders.joined(separator: ", ") + ". Set the current version to one of them"
      )
    }
    return name
  }
}
