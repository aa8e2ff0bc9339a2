// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Bundle {
  /// Returns the URL of a resource, or the URL of the source of a model (`momd`, `mom`) that was not
  /// compiled.
  ///
  /// ```swift
  /// let url = Bundle.main.url(forResource: "Shop", withExtension: "momd")
  /// let model = url.flatMap(NSManagedObjectModel.init(contentsOf:))
  /// ```
  /// SwiftPM does not compile models. For a program written for Xcode this method therefore returns the URL
  /// of `Shop.xcdatamodeld`; `NSManagedObjectModel(contentsOf:)` reads this format too. For the main bundle, and
  /// for `Bundle(for:)` of a class in the program, this method also searches the program's folder and the resource
  /// bundles in it. Returns nil if the resource is not found; for a model, if neither its compiled form nor its
  /// source is found.
  ///
  /// This overload is preferred to Foundation's method if both arguments are non-optional strings.
  public func url(forResource name: String, withExtension ext: String) -> URL? {
    let found = url(forResource: Optional(name), withExtension: Optional(ext))
    if found != nil || !["momd", "mom"].contains(ext) { return found }
    return ModelLocator.file(ofModelNamed: name, in: self)
  }

  /// Returns the path of a resource; nil if there is no such resource.
  ///
  /// Models are found in the same way as by `url(forResource:withExtension:)`.
  public func path(forResource name: String, ofType ext: String) -> String? {
    if !["momd", "mom"].contains(ext) {
      return path(forResource: Optional(name), ofType: Optional(ext))
    }
    return url(forResource: name, withExtension: ext)?.path
  }
}
