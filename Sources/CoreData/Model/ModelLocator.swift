// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// Finds model files in the places where SwiftPM and bundles put them.
package enum ModelLocator {
  /// The error for a model that was not found; the description lists the searched folders.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// Returns the file of the model with the given name.
  ///
  /// If `bundle` is nil, searches the main bundle, the program's folder, the resource bundles there, and all
  /// loaded bundles. A source is preferred to a compiled model (`.momd`, `.mom`).
  /// - Throws: `Failure`, which lists the searched folders.
  package static func url(ofModelNamed name: String, in bundle: Bundle? = nil) throws -> URL {
    let folders = bundle.map(folders(of:)) ?? allFolders
    if let url = find(name, in: folders, kinds) { return url }
    throw Failure(
      description: "no \(name).xcdatamodeld, .xcdatamodel, .momd or .mom was found in "
        + "\(list(folders)). \(addModel)"
    )
  }

  private static let addModel =
    "Add the model to the resources of its target, or load it with NSManagedObjectModel(contentsOf:)."

  static func list(_ folders: [URL]) -> String {
    folders.isEmpty ? "an empty list of folders" : folders.map(\.path).joined(separator: ", ")
  }

  /// Returns a text that says why `models(in:)` found no model.
  package static func reasonForNoModel(in bundles: [Bundle]?) -> String {
    let files = files(in: bundles)
    if files.isEmpty {
      return "no model (.xcdatamodeld, .xcdatamodel, .momd, .mom) was found in "
        + "\(list(searchedFolders(in: bundles))). \(addModel)"
    }
    return "no model can be merged, because these model files cannot be loaded: "
      + "\(files.map(\.path).joined(separator: ", ")); the lines above give the reasons"
  }

  /// Returns the file of the model or mapping model with the given name in a bundle; nil if the bundle has no
  /// such model.
  ///
  /// `ext` is the extension of the compiled form. A file with this extension is preferred to the other
  /// compiled form, and a compiled model is preferred to a source. For the main bundle, the program's folder
  /// and the resource bundles there are searched too.
  static func file(ofModelNamed name: String, in bundle: Bundle, extension ext: String) -> URL? {
    let folders = modelFolders(of: bundle)
    if ext == mappingKinds[0] { return find(name, in: folders, mappingKinds.map { [$0] }) }
    return find(name, in: folders, [[ext]] + kinds.reversed())
  }

  /// Returns the files of models or mapping models in a bundle or in a subfolder of it, one for each name,
  /// sorted by name in each folder.
  ///
  /// `ext` is the extension of the compiled form. Folders and preference are those of
  /// `file(ofModelNamed:in:extension:)`. For a subfolder with the extension `momd`, also returns the versions
  /// in an `.xcdatamodeld` of the same name.
  static func files(in bundle: Bundle, subfolder: String?, extension ext: String) -> [URL] {
    let folders = modelFolders(of: bundle).flatMap { folder -> [URL] in
      guard let subfolder else { return [folder] }
      let compiled = folder.appendingPathComponent(subfolder)
      if compiled.pathExtension != kinds[1][0] { return [compiled] }
      let source = compiled.deletingPathExtension().appendingPathExtension(kinds[0][0])
      return [compiled, source]
    }
    var names: Set<String> = []
    return sourceForms(of: ext).flatMap { kind in
      folders.flatMap { contents(of: $0, [kind]) }
        .filter { names.insert($0.deletingPathExtension().lastPathComponent).inserted }
    }
  }

  /// Returns the extension of a compiled form, followed by that of the source from which it is compiled.
  private static func sourceForms(of ext: String) -> [String] {
    if ext == mappingKinds[0] { return mappingKinds }
    return zip(kinds[1], kinds[0]).first { $0.0 == ext }.map { [$0.0, $0.1] } ?? [ext]
  }

  /// Whether a compiled model or a compiled mapping model has this extension.
  static func isModelExtension(_ ext: String) -> Bool {
    kinds[1].contains(ext) || ext == mappingKinds[0]
  }

  /// The file extensions of models: sources first, then compiled models.
  private static let kinds = [["xcdatamodeld", "xcdatamodel"], ["momd", "mom"]]
  /// The file extensions of mapping models: first the compiled form, then the source.
  private static let mappingKinds = ["cdm", "xcmappingmodel"]

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

  /// Returns the model with the given name; if the model is not found or cannot be loaded, returns nil and
  /// writes the reason to standard error.
  package static func model(named name: String, in bundle: Bundle? = nil) -> NSManagedObjectModel? {
    do {
      return NSManagedObjectModel(contentsOf: try url(ofModelNamed: name, in: bundle))
    } catch {
      Diagnostics.note("failed to load model named \(name): \(error)")
      return nil
    }
  }

  /// Returns the current version of each model in `bundles`.
  ///
  /// If `bundles` is nil, searches the main bundle, the program's folder and the resource bundles there. If
  /// several models have the same name, a source is preferred to a compiled model. A model that cannot be
  /// loaded is left out, and the reason is written to standard error.
  package static func models(in bundles: [Bundle]?) -> [NSManagedObjectModel] {
    files(in: bundles).compactMap(NSManagedObjectModel.init(contentsOf:))
  }

  /// Returns, for each model in `bundles`, the version with the most entities whose version hashes are in
  /// `hashes`.
  ///
  /// If several versions have the same number of such entities, the current version is preferred. Models
  /// without such an entity are left out.
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

  /// Returns all versions of the model that contains the version in the file at `url`.
  ///
  /// If the file is not in an `.xcdatamodeld` or `.momd` folder, returns only the model in the file itself.
  static func versions(near url: URL) -> [NSManagedObjectModel] {
    let parent = url.deletingLastPathComponent()
    let folders = [url, parent, parent.deletingLastPathComponent()]
    let container = folders.first { ["xcdatamodeld", "momd"].contains($0.pathExtension) }
    return versions(of: container ?? url).dropFirst(container == nil ? 0 : 1)
      .compactMap(NSManagedObjectModel.init(contentsOf:))
  }

  static func searchedFolders(in bundles: [Bundle]?) -> [URL] {
    unique(bundles.map { $0.flatMap(modelFolders(of:)) } ?? mainFolders)
  }

  /// Returns the files of the mapping models in `bundles` and next to `models`, sorted by name in each
  /// folder.
  ///
  /// If `bundles` is nil, searches the main bundle, the program's folder and the resource bundles there.
  static func mappingModels(in bundles: [Bundle]?, beside models: [URL] = []) -> [URL] {
    unique(searchedFolders(in: bundles) + models.map(folder(ofModel:)))
      .flatMap { contents(of: $0, mappingKinds) }
  }

  /// Returns the folder that contains a model; `url` may be the file of one of the model's versions.
  private static func folder(ofModel url: URL) -> URL {
    var folder = url.deletingLastPathComponent()
    while ["xcdatamodel", "xcdatamodeld", "momd"].contains(folder.pathExtension) {
      folder.deleteLastPathComponent()
    }
    return folder
  }

  static func files(in bundles: [Bundle]?) -> [URL] {
    var names: Set<String> = []
    let files = searchedFolders(in: bundles).flatMap { contents(of: $0, kinds.flatMap(\.self)) }
    return kinds.flatMap { kinds in
      files.filter {
        kinds.contains($0.pathExtension)
          && names.insert($0.deletingPathExtension().lastPathComponent).inserted
      }
    }
  }

  /// Returns `url`, which is read as the current version, and the files of all versions.
  static func versions(of url: URL) -> [URL] {
    let versions: [URL]
    switch url.pathExtension {
    case "xcdatamodeld":
      // The error is dropped: reading the model reports that the folder is invalid.
      versions = (try? ModelFile.versions(of: url).map(\.contents)) ?? []
    case "momd":
      // The error is dropped: reading the model reports that the folder is invalid.
      versions = (try? CompiledModel.versions(of: url).map(\.file)) ?? []
    default: versions = []
    }
    return [url] + versions
  }

  /// Reads a model file or folder, source or compiled.
  ///
  /// - Throws: `ModelError`.
  static func draft(at url: URL) throws -> ModelDraft {
    if ["mom", "momd", "omo"].contains(url.pathExtension) {
      return try CompiledModel.draft(at: url, predicates: PredicateTexts())
    }
    return try ModelFile.draft(at: url)
  }

  // MARK: Modules

  /// Returns the modules whose resource bundle may contain the file; empty if the file is not in a resource
  /// bundle.
  static func modules(near url: URL) -> [String] {
    url.deletingLastPathComponent().pathComponents.reversed().lazy
      .map(moduleCandidates).first { !$0.isEmpty } ?? []
  }

  /// The program's own module, and the modules whose resource bundles lie next to the program.
  static let programModules: [String] = {
    let program = programFolder.executable.deletingPathExtension().lastPathComponent
    let resources = contents(of: programFolder.folder).map(\.lastPathComponent)
    return [moduleName(program)] + resources.flatMap(moduleCandidates)
  }()

  /// Returns the names that the module of a resource bundle may have, for example `Model` for
  /// `Shop_Model.resources`; empty for other folders.
  ///
  /// If the bundle's name has several underscores, returns one name for each: the text after this underscore.
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
    // On systems without /proc, the path is that of the main bundle.
    let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
    let executable = path.map { URL(fileURLWithPath: $0) } ?? Bundle.main.bundleURL
    return (executable, executable.deletingLastPathComponent())
  }()

  private static var mainFolders: [URL] {
    let beside = contents(of: programFolder.folder, ["resources", "bundle"])
    return unique(folders(of: .main) + [programFolder.folder] + beside.flatMap(resourceFolders))
  }

  private static var allFolders: [URL] {
    unique(mainFolders + Bundle.allBundles.flatMap(folders(of:)))
  }

  /// Returns the folders in which the models of a bundle are: its own folders and, for the main bundle, the
  /// program's folder and the resource bundles there.
  ///
  /// A bundle for the program's folder counts as the main bundle, because on Linux `Bundle(for:)` creates
  /// such a bundle for a class that is linked into the program.
  private static func modelFolders(of bundle: Bundle) -> [URL] {
    let own = folders(of: bundle)
    if bundle === Bundle.main { return mainFolders }
    let program = programFolder.folder.resolvingSymlinksInPath().path
    return own.contains { $0.resolvingSymlinksInPath().path == program } ? mainFolders : own
  }

  private static func folders(of bundle: Bundle) -> [URL] {
    unique([bundle.resourceURL, bundle.bundleURL].compactMap { $0 })
  }

  /// Returns the folders of a resource bundle that can contain models.
  private static func resourceFolders(_ url: URL) -> [URL] {
    [
      url, url.appendingPathComponent("Resources"),
      url.appendingPathComponent("Contents/Resources"),
    ]
    .filter(exists)
  }

  /// Returns the files of a folder, sorted by name; with `extensions`, only the files with one of them.
  ///
  /// - Complexity: a system call for each returned file, because `appendingPathComponent(_:)` checks whether
  ///   the file is a folder.
  private static func contents(of folder: URL, _ extensions: [String]? = nil) -> [URL] {
    // The error is dropped: a folder that cannot be listed contains no models, and the caller's error lists
    // the searched folders.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let wanted = extensions.map { extensions in
      names.filter { name in
        extensions.contains { name.hasSuffix(".\($0)") && name.utf8.count > $0.utf8.count + 1 }
      }
    }
    return (wanted ?? names).sorted(by: utf8Less).map { folder.appendingPathComponent($0) }
  }

  private static func unique(_ urls: [URL]) -> [URL] {
    var seen: Set<String> = []
    return urls.filter { url in
      let path = url.path
      // A standard path is not standardized again, because that takes about as long as listing a short
      // folder.
      return seen.insert(isStandard(path) ? path : url.standardizedFileURL.path).inserted
    }
  }

  /// Returns whether an absolute path has no component that is empty, `.` or `..`.
  private static func isStandard(_ path: String) -> Bool {
    path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
      .allSatisfy { !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8) }
  }

  private static func exists(_ url: URL) -> Bool {
    FileManager.default.fileExists(atPath: url.path)
  }
}
