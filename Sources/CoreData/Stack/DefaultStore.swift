// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The default location of the store of a container.
enum DefaultStore {
  /// The folder named after the program, which is in the user's application support folder or, if the user
  /// has no such folder, in the folder for temporary files.
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
  /// Earlier versions of this library created the file directly in the application support folder. If
  /// `folder` is the default folder and the file exists only in the application support folder, returns the
  /// URL of that existing file.
  static func url(named name: String, in folder: URL) -> URL {
    let url = folder.appendingPathComponent("\(name).sqlite")
    let isThere = { (url: URL) in FileManager.default.fileExists(atPath: url.path) }
    if folder.path != self.folder.path || isThere(url) { return url }
    let former = support.appendingPathComponent("\(name).sqlite")
    return isThere(former) ? former : url
  }
}
