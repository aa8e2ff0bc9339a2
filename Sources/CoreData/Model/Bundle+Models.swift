// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Bundle {
  /// Returns the URL of a resource.
  ///
  /// For a model (`momd`, `mom`) or a mapping model (`cdm`) that was not compiled, returns the URL of its
  /// source.
  ///
  /// ```swift
  /// let url = Bundle.main.url(forResource: "Shop", withExtension: "momd")
  /// let model = url.flatMap(NSManagedObjectModel.init(contentsOf:))
  /// ```
  /// In a target with `CoreDataModelPlugin`, the URL is that of the compiled model. SwiftPM itself does not
  /// compile models; without the plugin this method returns the URL of `Shop.xcdatamodeld`, which
  /// `NSManagedObjectModel(contentsOf:)` reads too. A mapping model is always found as `.xcmappingmodel`,
  /// which `NSMappingModel(contentsOf:)` reads, unless the bundle has a `.cdm`.
  ///
  /// For the main bundle, and for `Bundle(for:)` of a class in the program, this method also searches the
  /// program's folder and the resource bundles in that folder. Returns nil if neither the resource nor, for a
  /// model, its source is found.
  ///
  /// This overload is preferred to Foundation's method if both arguments are non-optional strings.
  public func url(forResource name: String, withExtension ext: String) -> URL? {
    let found = url(forResource: Optional(name), withExtension: Optional(ext))
    if found != nil || !ModelLocator.isModelExtension(ext) { return found }
    return ModelLocator.file(ofModelNamed: name, in: self, extension: ext)
  }

  /// Returns the path of a resource; nil if there is no such resource.
  ///
  /// Models are found in the same way as by `url(forResource:withExtension:)`.
  public func path(forResource name: String, ofType ext: String) -> String? {
    if !ModelLocator.isModelExtension(ext) {
      return path(forResource: Optional(name), ofType: Optional(ext))
    }
    return url(forResource: name, withExtension: ext)?.path
  }

  /// Returns the URL of a resource in a subfolder, such as a version of a model.
  ///
  /// ```swift
  /// let url = Bundle.main.url(forResource: "Shop 2", withExtension: "mom", subdirectory: "Shop.momd")
  /// ```
  /// The folders of the bundle are those of `url(forResource:withExtension:)`. If the model was not compiled,
  /// or if its version has composite attributes, returns the URL of the version's source
  /// (`Shop 2.xcdatamodel`), which `NSManagedObjectModel(contentsOf:)` reads too. Returns nil if there is no
  /// such file.
  public func url(
    forResource name: String,
    withExtension ext: String,
    subdirectory subpath: String
  ) -> URL? {
    let found = url(
      forResource: Optional(name),
      withExtension: Optional(ext),
      subdirectory: Optional(subpath)
    )
    if found != nil || !ModelLocator.isModelExtension(ext) { return found }
    return ModelLocator.files(in: self, subfolder: subpath, extension: ext)
      .first { $0.deletingPathExtension().lastPathComponent == name }
  }

  /// Returns the path of a resource in a subfolder; nil if there is no such resource.
  ///
  /// Models are found in the same way as by `url(forResource:withExtension:subdirectory:)`.
  public func path(
    forResource name: String,
    ofType ext: String,
    inDirectory subpath: String
  ) -> String? {
    url(forResource: name, withExtension: ext, subdirectory: subpath)?.path
  }

  /// Returns the URLs of all resources with the extension in the bundle, or in a subfolder of it; nil if
  /// there is no such resource.
  ///
  /// ```swift
  /// let models = Bundle.main.urls(forResourcesWithExtension: "momd", subdirectory: nil)
  /// let versions = Bundle.main.urls(forResourcesWithExtension: "mom", subdirectory: "Shop.momd")
  /// ```
  /// Models are found in the same folders and forms as by `url(forResource:withExtension:subdirectory:)`, one
  /// file for each name, sorted by name in each folder.
  public func urls(
    forResourcesWithExtension ext: String,
    subdirectory subpath: String?
  ) -> [URL]? {
    if !ModelLocator.isModelExtension(ext) {
      // Foundation's method returns `NSURL` on Linux, and `URL` on Apple's systems.
      return urls(forResourcesWithExtension: Optional(ext), subdirectory: subpath)?
        .map { $0 as URL }
    }
    let found = ModelLocator.files(in: self, subfolder: subpath, extension: ext)
    return found.isEmpty ? nil : found
  }

  /// Returns the paths of all resources with the extension in the bundle, or in a subfolder of it.
  ///
  /// Models are found in the same way as by `urls(forResourcesWithExtension:subdirectory:)`.
  public func paths(forResourcesOfType ext: String, inDirectory subpath: String?) -> [String] {
    if !ModelLocator.isModelExtension(ext) {
      return paths(forResourcesOfType: Optional(ext), inDirectory: subpath)
    }
    return urls(forResourcesWithExtension: ext, subdirectory: subpath)?.map(\.path) ?? []
  }
}
