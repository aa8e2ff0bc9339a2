// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Covers whose photos are in files beside the store.
struct StoredPhotos {
  let stack: LibraryStack
  /// Colour of the cover → name of its file.
  let names: [String: String]
  private let folder: URL

  /// The library, whose covers have photos that may be large.
  static func model() -> NSManagedObjectModel {
    let model = Library.model()
    let data = NSAttributeDescription()
    data.name = "photo"
    data.attributeType = .binaryDataAttributeType
    data.allowsExternalBinaryDataStorage = true
    model.entitiesByName["Cover"]?.properties += [data]
    return model
  }

  /// A cover and a file for each colour, whose bytes are the file's content.
  init(_ colours: [String]) throws {
    stack = try LibraryStack(model: Self.model())
    _ = try stack.insert("Cover", colours.map { ["colour": $0] })
    folder = stack.folder.appendingPathComponent(".Library_SUPPORT/_EXTERNAL_DATA")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var names: [String: String] = [:]
    for colour in colours {
      let name = UUID().uuidString
      names[colour] = name
      try Data(colour.utf8).write(to: folder.appendingPathComponent(name))
      let digits = name.utf8.map { String($0, radix: 16) }.joined()
      try SQLFile(url: try #require(try stack.store.url))
        .run("UPDATE ZCOVER SET ZPHOTO = x'02\(digits)00' WHERE ZCOLOUR = '\(colour)'")
    }
    self.names = names
    #expect(try contents() == colours.map { Data($0.utf8) })
  }

  /// The photos of all covers, by colour.
  func contents() throws -> [Data?] {
    try stack.reread("Cover").sorted { $0.text("colour") ?? "" < $1.text("colour") ?? "" }
      .map { $0.value(forKey: "photo") as? Data }
  }

  /// The names of the files that are left.
  func files() throws -> Set<String?> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
  }
}
