// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Finds the model versions to which model references refer.
extension ModelLocator {
  /// Returns the model in a file or, for a model folder, its current version and then all of its versions.
  ///
  /// A model that cannot be read is left out, and the reason is written to standard error.
  static func versions(at url: URL) -> [NSManagedObjectModel] {
    versions(of: url).compactMap(NSManagedObjectModel.init(contentsOf:))
  }

  /// Returns the versions in `bundle` whose name is `name`, and all versions of the models whose name is
  /// `name`.
  ///
  /// If `bundle` is nil, searches the main bundle, the program's folder and the resource bundles there.
  static func versions(named name: String, in bundle: Bundle?) -> [NSManagedObjectModel] {
    let files = files(in: bundle.map { [$0] }).flatMap { file in
      versionName(of: file) == name
        ? versions(of: file) : versions(of: file).filter { versionName(of: $0) == name }
    }
    return files.compactMap(NSManagedObjectModel.init(contentsOf:))
  }

  /// Returns the name of the version in a file, such as `Shop 2` for `Shop 2.mom` and for
  /// `Shop 2.xcdatamodel/contents`.
  static func versionName(of url: URL) -> String {
    let isContents = ["contents", "elements"].contains(url.lastPathComponent)
    let file = isContents ? url.deletingLastPathComponent() : url
    return file.deletingPathExtension().lastPathComponent
  }

  /// Returns the paths of the folders that are searched for a bundle, for an error text.
  static func searchedPlaces(_ bundle: Bundle?) -> String {
    list(searchedFolders(in: bundle.map { [$0] }))
  }

  /// Returns the name of the current version of the model that contains the version in the file at `url`; nil if the
  /// file is not in an `.xcdatamodeld` or `.momd` folder, or if no version is marked as current.
  static func currentVersionName(near url: URL) -> String? {
    let parent = url.deletingLastPathComponent()
    let folders = [url, parent, parent.deletingLastPathComponent()]
    guard
      let folder = folders.first(where: { ["xcdatamodeld", "momd"].contains($0.pathExtension) })
    else { return nil }
    if folder.pathExtension == "momd" {
      // The error is dropped: reading the model reports that the folder is invalid.
      return try? CompiledModel.info(of: folder).currentVersion
    }
    // The error is dropped: reading the model reports that the folder is invalid.
    return try? ModelFile.versions(of: folder).first(where: \.isCurrent)?.name
  }
}
