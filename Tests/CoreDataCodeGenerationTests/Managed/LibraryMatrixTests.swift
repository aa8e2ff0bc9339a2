// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataCodeGeneration
import _CoreDataModel

/// Properties of each type and access level, in a program and in a module that it imports, with the library
/// itself.
///
/// With `COREDATA_MATRIX=1` all modes of the compiler are tried instead of one.
@Suite(.enabled(if: LibraryBuild() != nil, "the objects of the build are not there"))
struct LibraryMatrixTests {
  private static let modes: [[String]] = {
    let features = ["InternalImportsByDefault", "MemberImportVisibility", "ExistentialAny"]
      .flatMap { ["-enable-upcoming-feature", $0] }
    let all = [
      ["-Onone", "-swift-version", "6", "-sanitize=address"],
      ["-Onone", "-swift-version", "5"],
      ["-O", "-swift-version", "5"],
      ["-O", "-swift-version", "6"],
      ["-O", "-wmo", "-swift-version", "6"] + features,
      ["-O", "-wmo", "-swift-version", "5", "-sanitize=address"],
    ]
    return ProcessInfo.processInfo.environment["COREDATA_MATRIX"] != "1" ? [all[4]] : all
  }()

  @Test(arguments: modes)
  func everyPropertyIsSetReadObservedAndSaved(mode: [String]) throws {
    #expect(LibraryMatrix.declarations > 300)
    let build = try #require(LibraryBuild())
    defer { try? FileManager.default.removeItem(at: build.folder) }
    let (library, program) = (LibraryMatrix.files("Lib"), LibraryMatrix.files("App"))
    var models: [ModelDefinition] = []
    for prefix in ["Lib", "App"] {
      let entities = LibraryMatrix.model(prefix)
      models.append(try ModelDefinition(Generated.draft(entities)))
      try build.write("\(prefix).xcdatamodel/contents", "<model>\n\(entities)\n</model>")
    }
    let ofLibrary = ManagedAccessors.generate(
      module: "MatrixLib",
      texts: library,
      models: [models[0]]
    )
    let ofProgram = ManagedAccessors.generate(
      module: "MatrixApp",
      texts: program,
      dependencies: library.map { ("MatrixLib", $0.path, $0.text) },
      models: [models[1]]
    )
    #expect(ofLibrary.problems.map(\.description) == [])
    #expect(ofProgram.problems.map(\.description) == [])
    let (first, second) = (
      library + [("LibAccessors.swift", ofLibrary.text)],
      program + [("AppAccessors.swift", ofProgram.text)]
    )
    for file in first + second { try build.write(file.path, file.text) }
    let asLibrary = ["-emit-library", "-static", "-o", "libMatrixLib.a", "-emit-module"]
    try build.compile(
      mode + asLibrary + ["-module-name", "MatrixLib"] + first.map(\.path)
    )
    let linked = ["-L", ".", "-lMatrixLib", "@objects.txt", "-lsqlite3", "-lz", "-o", "program"]
    try build.compile(mode + linked + ["-module-name", "MatrixApp"] + second.map(\.path))
    let printed = try build.run("./program", ["Lib.xcdatamodel", "App.xcdatamodel"])
    #expect(printed == "\(LibraryMatrix.checks) 0\n")
  }
}
