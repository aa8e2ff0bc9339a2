// SPDX-License-Identifier: Apache-2.0

import Foundation
import SharedFolder
import Testing
import _CoreDataCodeGeneration
import _CoreDataModel

@Suite(.enabled(if: Shared.has("fixtures/models"), "\(Shared.absent)"))
struct CollectionParseTests {
  /// Models of the collection whose classes Swift cannot have, and what is said of them.
  static let refused: [String: String] = {
    let reason =
      "ImpossibleType: its class “We.Cannot.Handle.ImpossibleType” is not a Swift class name; choose another class name"
    return [
      "SwiftGen__SwiftGen__Model__Model_2~2.contents": reason,
      "SwiftGen__SwiftGen__Model__Model_2~4.contents": reason,
    ]
  }()

  @Test func theCompilerParsesTheClassesOfEveryModelOfTheCollection() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("codegen-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var refusals: [String: String] = [:]
    var files: [URL] = []
    for (index, model) in try Shared.files(in: "fixtures/models", extension: "contents")
      .enumerated()
    {
      do {
        let text = try Self.allClasses(of: model)
        let file = folder.appendingPathComponent("model\(index).swift")
        try Data(text.utf8).write(to: file)
        files.append(file)
      } catch let error as ModelError {
        refusals[model.lastPathComponent] = error.explanation
      }
    }
    #expect(refusals == Self.refused)
    #expect(files.count > 300)
    #expect(try Self.parserMessages(files) == "")
  }

  /// The text with every entity's code generated, whatever the model says.
  private static func allClasses(of url: URL) throws -> String {
    var draft = try ModelFile.draft(at: url)
    for index in draft.entities.indices { draft.entities[index].codeGeneration = .class }
    return try ModelSource(draft, modelName: url.lastPathComponent).text()
  }

  private static func parserMessages(_ files: [URL]) throws -> String {
    let parser = Process()
    parser.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    parser.arguments = ["swiftc", "-frontend", "-parse"] + files.map(\.path)
    let messages = Pipe()
    parser.standardError = messages
    try parser.run()
    let data = messages.fileHandleForReading.readDataToEndOfFile()
    parser.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }
}
