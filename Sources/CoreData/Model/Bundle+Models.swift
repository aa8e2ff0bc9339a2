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
}
