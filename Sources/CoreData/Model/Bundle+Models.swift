// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Bundle {
  /// The file of a resource, as Foundation's; of a model (`momd`, `mom`) that was not compiled its source.
  ///
  /// ```swift
  /// let url = Bundle.main.url(forResource: "Shop", withExtension: "momd")
  /// let model = url.flatMap(NSManagedObjectModel.init(contentsOf:))
  /// ```
  /// SwiftPM compiles no models, so programs written for Xcode's products find `Shop.xcdatamodeld` here, which
  /// `NSManagedObjectModel(contentsOf:)` reads too. The main bundle's models are also looked for beside the
  /// program and in the resource bundles there. Nil where there is neither.
  ///
  /// Ours: preferred to Foundation's method where both arguments are texts that are not optional.
  public func url(forResource name: String, withExtension ext: String) -> URL? {
    let found = url(forResource: Optional(name), withExtension: Optional(ext))
    if found != nil || !["momd", "mom"].contains(ext) { return found }
    return ModelLocator.file(ofModelNamed: name, in: self)
  }

  /// The path of a resource, as `url(forResource:withExtension:)` finds it.
  public func path(forResource name: String, ofType ext: String) -> String? {
    if !["momd", "mom"].contains(ext) {
      return path(forResource: Optional(name), ofType: Optional(ext))
    }
    return url(forResource: name, withExtension: ext)?.path
  }
}
