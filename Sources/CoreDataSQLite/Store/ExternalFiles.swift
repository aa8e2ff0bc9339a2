// SPDX-License-Identifier: Apache-2.0

import CoreDataStore
import Foundation

/// The files beside a store that one save writes, and those that it makes superfluous.
///
/// New files are there before the commit; those of replaced and deleted rows go after it. A save that
/// fails takes its own files back, so a file without a row can only be left by a crash.
final class ExternalFiles {
  /// Values with more bytes get a file of their own.
  ///
  /// Source: observed, values of up to 99,813 bytes lie in the rows.
  static let threshold = 100 << 10

  private let folder: URL?
  private var written: [URL] = []
  private var obsolete: [URL] = []

  /// A store in memory has no folder, and keeps everything in its rows.
  init(store path: String, isInMemory: Bool) {
    folder = isInMemory ? nil : ExternalData.folder(ofStore: path)
  }

  /// The tagged value for some content: the content itself, or the name of a new file with it.
  ///
  /// - Throws: `StoreError.cannotWrite` where the file cannot be written.
  func value(of content: UnsafeRawBufferPointer) throws -> [UInt8] {
    guard let folder, content.count > Self.threshold else {
      return [ExternalData.inlineTag] + content
    }
    let name = UUID().uuidString
    let file = folder.appendingPathComponent(name)
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(content).write(to: file, options: .atomic)
    } catch {
      throw StoreError(
        .cannotWrite,
        "a value's own file cannot be written: \(error)",
        path: file.path
      )
    }
    written.append(file)
    return [ExternalData.fileTag] + Array(name.utf8) + [0]
  }

  /// Notes that a row does not need its value any more; does nothing for values in rows.
  func discard(_ value: Data) {
    guard let folder, let name = value.withUnsafeBytes(ExternalData.fileName) else { return }
    obsolete.append(folder.appendingPathComponent(name))
  }

  /// Removes what the committed save replaced.
  func committed() {
    for file in obsolete { try? FileManager.default.removeItem(at: file) }
    (written, obsolete) = ([], [])
  }

  /// Removes what the failed save wrote.
  func rolledBack() {
    for file in written { try? FileManager.default.removeItem(at: file) }
    (written, obsolete) = ([], [])
  }
}
