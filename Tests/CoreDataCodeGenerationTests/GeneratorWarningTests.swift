// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The program that the build plugin runs.
struct GeneratorWarningTests {
  @Test func aRelationshipWithoutAnInverseIsABuildWarningAndTheClassesAreWritten() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let model = folder.appendingPathComponent("Shop.xcdatamodel")
    try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let contents = model.appendingPathComponent("contents")
    try Data(
      """
      <model>
      <entity name="Item" representedClassName="Item" codeGenerationType="class">
      <relationship name="owner" optional="YES" maxCount="1" destinationEntity="Item"/>
      </entity>
      </model>
      """.utf8
    ).write(to: contents)
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("_CoreDataGenerator")
    let process = Process()
    process.executableURL = program
    process.arguments = [model.path, folder.path]
    let pipe = Pipe()
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(
      String(decoding: output, as: UTF8.self)
        == "\(contents.path):3: warning: Item.owner: the relationship should have an inverse\n"
    )
    let written = folder.appendingPathComponent("Shop+Model.swift")
    #expect(FileManager.default.fileExists(atPath: written.path))
  }
}
