// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The default location of the store of a container.
enum DefaultStore {
  /// The program's folder in the user's application support folder or, if there is none, in the folder for
  /// temporary files.
  static var folder: URL {
    support.appendingPathComponent(ProcessInfo.processInfo.processName, isDirectory: true)
  }

  private static var support: URL {
    let folder = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
      .first
    return folder ?? URL(fileURLWithPath: NSTemporaryDirectory(), isDirectory: true)
  }

  /// Returns the URL of `<name>.sqlite` in `folder`.
  ///
  /// If that file does not exist, `folder` is the default folder, and a file of that name exists directly in
  /// the application support folder, returns the URL of the existing file instead.
  static func url(named name: String, in folder: URL) -> URL {
    let url = folder.appendingPathComponent("\(name).sqlite")
    let isThere = { (url: URL) in FileManager.default.fileExists(atPath: url.path) }
    if folder.path != self.folder.path || isThere(url) { return url }
    let former = support.appendingPathComponent("\(name).sqlite")
    return isThere(former) ? former : url
  }
}
