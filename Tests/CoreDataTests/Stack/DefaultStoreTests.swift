// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("The place of a container's default store")
struct DefaultStoreTests {
  /// What a program of its own prints, with `data` as the user's data folder.
  private func places(_ name: String, in data: URL) throws -> [String] {
    let process = Process()
    process.executableURL = LaunchedProgram.programs.appendingPathComponent("StandaloneProgram")
    process.arguments = ["place", name]
    process.environment = ProcessInfo.processInfo.environment
      .merging(["XDG_DATA_HOME": data.path]) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test("It is in the program's folder; a store that is beside that folder is opened where it is")
  func folder() throws {
    let data = FileManager.default.temporaryDirectory
      .appendingPathComponent("places-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: data) }
    let own = data.path + "/StandaloneProgram"
    #expect(try places("Shop", in: data) == [own, own + "/Shop.sqlite"])
    try Data().write(to: data.appendingPathComponent("Shop.sqlite"))
    #expect(try places("Shop", in: data) == [own, data.path + "/Shop.sqlite"])
    #expect(try places("Other", in: data) == [own, own + "/Other.sqlite"])
    let folder = URL(fileURLWithPath: own)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data().write(to: folder.appendingPathComponent("Shop.sqlite"))
    #expect(try places("Shop", in: data) == [own, own + "/Shop.sqlite"])
  }
}
