// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataPredicate
import Foundation

/// Finds model files where SwiftPM and bundles put them.
package enum ModelLocator {
  /// Why no model was found.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// The file of the model of that name.
  ///
  /// Looked for in `bundle` alone where one is given, else in the main bundle, in the resource bundles
  /// beside the program, and in all loaded bundles.
  /// A compiled model (`.momd`, `.mom`) is taken where there is no source.
  /// - Throws: `Failure`, naming the folders that were searched.
  package static func url(ofModelNamed name: String, in bundle: Bundle? = nil) throws -> URL {
    let folders = bundle.map(folders(of:)) ?? allFolders
    for kinds in [["xcdatamodeld", "xcdatamodel"], ["momd", "mom"]] {
      for folder in folders {
        for kind in kinds {
          let url = folder.appendingPathComponent("\(name).\(kind)")
          if exists(url) { return url }
        }
      }
    }
    throw Failure(
      description: "there is no \(name).xcdatamodeld or \(name).momd in "
        + folders.map(\.path).joined(separator: ", ")
    )
  }

  /// The model of that name; nil, with the reason on the standard error, where there is none.
  package static func model(named name: String, in bundle: Bundle? = nil) -> NSManagedObjectModel? {
    do {
      return NSManagedObjectModel(contentsOf: try url(ofModelNamed: name, in: bundle))
    } catch {
      diagnose("failed to load model named \(name): \(error)")
      return nil
    }
  }

  /// All models in `bundles`, by file name; nil searches the main bundle and the resources beside it.
  ///
  /// Of models of one name the source is taken before the compiled one.
  package static func models(in bundles: [Bundle]?) -> [NSManagedObjectModel] {
    let folders = bundles.map { $0.flatMap(folders(of:)) } ?? mainFolders
    var names: Set<String> = []
    var models: [NSManagedObjectModel] = []
    let files = unique(folders).flatMap(contents)
    for kinds in [["xcdatamodeld", "xcdatamodel"], ["momd", "mom"]] {
      for url in files where kinds.contains(url.pathExtension) {
        guard names.insert(url.deletingPathExtension().lastPathComponent).inserted else { continue }
        if let model = NSManagedObjectModel(contentsOf: url) { models.append(model) }
      }
    }
    return models
  }

  /// The draft in a file or folder of Xcode's, source or compiled.
  ///
  /// - Throws: `ModelError`.
  static func draft(at url: URL) throws -> ModelDraft {
    if ["mom", "momd", "omo"].contains(url.pathExtension) {
      return try CompiledModel.draft(at: url, predicates: PredicateTexts())
    }
    return try ModelFile.draft(at: url)
  }

  // MARK: Modules

  /// The module whose resource bundle a file lies in; empty where it lies in none.
  static func modules(near url: URL) -> [String] {
    url.deletingLastPathComponent().pathComponents.reversed().lazy
      .map(moduleCandidates).first { !$0.isEmpty } ?? []
  }

  /// The program's own module, and those whose resource bundles lie beside it.
  static let programModules: [String] = {
    let program = programFolder.executable.deletingPathExtension().lastPathComponent
    let resources = contents(of: programFolder.folder).map(\.lastPathComponent)
    return [moduleName(program)] + resources.flatMap(moduleCandidates)
  }()

  /// `Shop_Model.resources` → `Model`; with more underscores, every name it can stand for.
  private static func moduleCandidates(_ folder: String) -> [String] {
    guard let kind = [".resources", ".bundle"].first(where: folder.hasSuffix) else { return [] }
    let name = folder.dropLast(kind.count)
    return name.indices.filter { name[$0] == "_" }
      .map { moduleName(String(name[name.index(after: $0)...])) }
  }

  private static func moduleName(_ target: String) -> String {
    String(target.map { $0.isLetter || $0.isNumber ? $0 : "_" })
  }

  // MARK: Folders

  private static let programFolder: (executable: URL, folder: URL) = {
    // Systems without /proc have the bundle.
    let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    let executable = path.map { URL(fileURLWithPath: $0) } ?? Bundle.main.bundleURL
    return (executable, executable.deletingLastPathComponent())
  }()

  private static var mainFolders: [URL] {
    let beside = contents(of: programFolder.folder).filter {
      ["resources", "bundle"].contains($0.pathExtension)
    }
    return unique(folders(of: .main) + [programFolder.folder] + beside.flatMap(resourceFolders))
  }

  private static var allFolders: [URL] {
    unique(mainFolders + Bundle.allBundles.flatMap(folders(of:)))
  }

  private static func folders(of bundle: Bundle) -> [URL] {
    unique([bundle.resourceURL, bundle.bundleURL].compactMap { $0 })
  }

  /// The folders of a resource bundle that can hold models.
  private static func resourceFolders(_ url: URL) -> [URL] {
    [
      url, url.appendingPathComponent("Resources"),
      url.appendingPathComponent("Contents/Resources"),
    ]
    .filter(exists)
  }

  private static func contents(of folder: URL) -> [URL] {
    // A folder that cannot be listed has no models to offer; the error says where they were looked for.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted(by: utf8Less).map { folder.appendingPathComponent($0) }
  }

  private static func unique(_ urls: [URL]) -> [URL] {
    var seen: Set<String> = []
    return urls.filter { seen.insert($0.standardizedFileURL.path).inserted }
  }

  private static func exists(_ url: URL) -> Bool {
    FileManager.default.fileExists(atPath: url.path)
  }
}
