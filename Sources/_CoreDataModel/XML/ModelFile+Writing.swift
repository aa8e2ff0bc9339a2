// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ModelFile {
  /// Writes an `.xcdatamodel` folder; an existing folder is updated as described for `xml(_:over:)`.
  ///
  /// - Throws: the errors of `xml(_:over:)`, and Foundation's if the folder cannot be read or written.
  package static func write(_ draft: ModelDraft, to folder: URL) throws {
    let contents = folder.appendingPathComponent("contents")
    let isNew = FolderContent.isMissing(contents.path)
    let data = try xml(draft, over: isNew ? nil : Data(contentsOf: contents))
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try data.write(to: contents, options: .atomic)
  }

  /// Writes an `.xcdatamodeld` folder, which contains a folder for each version and a file that names the
  /// current version.
  ///
  /// Other versions in an existing folder are kept.
  /// - Throws: the errors of `write(_:to:)`.
  package static func write(
    _ versions: [(name: String, draft: ModelDraft)],
    current: String,
    to folder: URL
  ) throws {
    for (name, draft) in versions {
      try write(draft, to: folder.appendingPathComponent(name + ".xcdatamodel"))
    }
    let name = MarkupElement.escaped(current + ".xcdatamodel")
    let mark = """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
      "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
      \t<key>_XCCurrentVersionName</key>
      \t<string>\(name)</string>
      </dict>
      </plist>

      """
    try Data(mark.utf8).write(
      to: folder.appendingPathComponent(currentVersionFileName),
      options: .atomic
    )
  }
}
