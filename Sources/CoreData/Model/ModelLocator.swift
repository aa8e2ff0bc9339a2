// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

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
    if let url = find(name, in: folders, kinds) { return url }
    throw Failure(
      description: "there is no \(name).xcdatamodeld or \(name).momd in "
        + folders.map(\.path).joined(separator: ", ")
    )
  }

  /// The file of the model of that name in a bundle, a compiled one before a source; nil where there is none.
  ///
  /// The main bundle's are also looked for beside the program and in the resource bundles there.
  static func file(ofModelNamed name: String, in bundle: Bundle) -> URL? {
    let folders = bundle === Bundle.main ? mainFolders : folders(of: bundle)
    return find(name, in: folders, kinds.reversed())
  }

  /// Extensions of models: sources, then compiled ones.
  private static let kinds = [["xcdatamodeld", "xcdatamodel"], ["momd", "mom"]]

  private static func find(_ name: String, in folders: [URL], _ kinds: [[String]]) -> URL? {
    for kinds in kinds {
      for folder in folders {
        for kind in kinds {
          let url = folder.appendingPathComponent("\(name).\(kind)")
          if exists(url) { return url }
        }
      }
    }
    return nil
  }

  /// The model of that name; nil, with the reason on the standard error, where there is none.
  package static func model(named name: String, in bundle: Bundle? = nil) -> NSManagedObjectModel? {
    do {
      return NSManagedObjectModel(contentsOf: try url(ofModelNamed: name, in: bundle))
    } catch {
      Diagnostics.note("failed to load model named \(name): \(error)")
      return nil
    }
  }

  /// All models in `bundles`, by file name; nil searches the main bundle and the resources beside it.
  ///
  /// Of models of one name the source is taken before the compiled one, of several versions the current one.
  package static func models(in bundles: [Bundle]?) -> [NSManagedObjectModel] {
    files(in: bundles).compactMap(NSManagedObjectModel.init(contentsOf:))
  }

  /// Of each model in `bundles` the version with the most entities of these hashes, the current one where
  /// several have as many; models without any are left out.
  static func models(
    in bundles: [Bundle]?,
    fitting hashes: [String: Data]
  ) -> [NSManagedObjectModel] {
    files(in: bundles).compactMap { file in
      var best: (model: NSManagedObjectModel, matches: Int)?
      for url in versions(of: file) {
        guard let model = NSManagedObjectModel(contentsOf: url) else { continue }
        let matches = model.entityVersionHashesByName.count { hashes[$0] == $1 }
        if matches > best?.matches ?? 0 { best = (model, matches) }
      }
      return best?.model
    }
  }

  private static func files(in bundles: [Bundle]?) -> [URL] {
    let folders = bundles.map { $0.flatMap(folders(of:)) } ?? mainFolders
    var names: Set<String> = []
    let files = unique(folders).flatMap(contents)
    return kinds.flatMap { kinds in
      files.filter {
        kinds.contains($0.pathExtension)
          && names.insert($0.deletingPathExtension().lastPathComponent).inserted
      }
    }
  }

  /// The files of a model's versions, the current one first.
  private static func versions(of url: URL) -> [URL] {
    let versions: [URL]
    switch url.pathExtension {
    case "xcdatamodeld":
      // What is wrong with the folder, reading the model in it throws.
      versions = (try? ModelFile.versions(of: url).map(\.contents)) ?? []
    case "momd":
      // As above.
      versions = (try? CompiledModel.versions(of: url).map(\.file)) ?? []
    default: versions = []
    }
    return [url] + versions
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
