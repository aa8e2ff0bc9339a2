// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A program whose model the plugin compiles, and whose target declares no resources.
@Suite struct ProgramModelTests {
  private static let found = """
    Launched.momd: ["Trip"]
    Launched.momd: ["Trip"]
    Trip 1

    """
  private let program = LaunchedProgram.programs.appendingPathComponent("LaunchedProgram")

  /// Runs `body` with a folder that is deleted afterwards.
  private func inFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  @Test func `A model that is no declared resource is compiled into the bundle of its target`()
    throws
  {
    let outcome = try LaunchedProgram.run(["model"])
    #expect(outcome.status == 0)
    #expect(outcome.standardError == Self.found)
  }

  @Test func `The model is found from another working directory and through a symbolic link`()
    throws
  {
    try inFolder { folder in
      let link = folder.appendingPathComponent("server")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: program)
      let outcome = try LaunchedProgram.run(["model"], program: link, directory: folder)
      #expect(outcome.status == 0)
      #expect(outcome.standardError == Self.found)
    }
  }

  /// Copies the resources of the program to a folder, and returns the URL of the copy.
  private func copyResources(to folder: URL) throws -> URL {
    let name = "swift-coredata_LaunchedProgram.resources"
    let resources = folder.appendingPathComponent(name)
    try FileManager.default.copyItem(
      at: LaunchedProgram.programs.appendingPathComponent(name),
      to: resources
    )
    return resources
  }

  /// The program runs in a folder of its own, because the build folder contains the models of other programs.
  @Test func `The main bundle and the bundle for a class have the models beside the program`()
    throws
  {
    try inFolder { folder in
      _ = try copyResources(to: folder)
      let copy = folder.appendingPathComponent("server")
      let outcome = try LaunchedProgram.run(["merged"], copy: copy)
      #expect(outcome.status == 0)
      #expect(outcome.standardError == "[\"Trip\"] [\"Trip\"] [\"Trip\"] true true\n")
    }
  }

  @Test func `The model is found by a program that is renamed and moved with its resources`() throws
  {
    try inFolder { folder in
      let resources = try copyResources(to: folder)
      let copy = folder.appendingPathComponent("server")
      let outcome = try LaunchedProgram.run(
        ["model"],
        copy: copy,
        directory: URL(fileURLWithPath: "/")
      )
      #expect(outcome.status == 0)
      #expect(outcome.standardError == Self.found)

      // Without the folder, the program finds the model only through `Bundle.module`, which contains the path
      // of the build folder.
      try FileManager.default.removeItem(at: resources)
      let lost = try LaunchedProgram.run(["model"], program: copy)
      #expect(lost.status != 0)
      #expect(lost.standardError.contains("no Launched.xcdatamodeld, .xcdatamodel, .momd or .mom"))
      #expect(lost.standardError.contains(folder.path))
    }
  }
}
