// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel

/// A model folder with two versions, in a directory that goes with it.
final class ModelFolder {
  let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
  var url: URL { directory.appendingPathComponent("Shop.xcdatamodeld") }

  init(versions: [String]) throws {
    for name in versions {
      let folder = url.appendingPathComponent(name + ".xcdatamodel")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data("<model><entity name=\"\(name)\"/></model>".utf8)
        .write(to: folder.appendingPathComponent("contents"))
    }
  }

  func markCurrent(_ name: String) throws {
    let list = try PropertyListSerialization.data(
      fromPropertyList: ["_XCCurrentVersionName": name],
      format: .xml,
      options: 0
    )
    try list.write(to: url.appendingPathComponent(".xccurrentversion"))
  }

  deinit { try? FileManager.default.removeItem(at: directory) }
}

struct ModelFileTests {
  @Test func theMarkedVersionIsTheCurrentOne() throws {
    let folder = try ModelFolder(versions: ["V1", "V2"])
    try folder.markCurrent("V2.xcdatamodel")
    #expect(try ModelFile.draft(at: folder.url).entities.map(\.name) == ["V2"])
    let versions = try ModelFile.versions(of: folder.url)
    #expect(versions.map(\.name) == ["V1", "V2"])
    #expect(versions.map(\.isCurrent) == [false, true])
  }

  @Test func withoutAMarkTheFirstVersionIsTheCurrentOne() throws {
    let folder = try ModelFolder(versions: ["B", "A"])
    #expect(try ModelFile.draft(at: folder.url).entities.map(\.name) == ["A"])
  }

  @Test func versionsStandAsPeopleOrderNames() throws {
    let folder = try ModelFolder(versions: ["Shop 10", "Shop 2", "Shop", "archive", "Shop 2b"])
    let names = ["archive", "Shop", "Shop 2", "Shop 2b", "Shop 10"]
    #expect(try ModelFile.versions(of: folder.url).map(\.name) == names)
    let compiled = folder.directory.appendingPathComponent("Shop.momd")
    try FileManager.default.createDirectory(at: compiled, withIntermediateDirectories: true)
    for name in names.reversed() {
      try Data().write(to: compiled.appendingPathComponent(name + ".mom"))
    }
    #expect(try CompiledModel.versions(of: compiled).map(\.name) == names)
  }

  @Test func aSingleVersionAndABareFileLoadToo() throws {
    let folder = try ModelFolder(versions: ["Only"])
    let version = folder.url.appendingPathComponent("Only.xcdatamodel")
    #expect(try ModelFile.draft(at: version).entities.map(\.name) == ["Only"])
    let contents = version.appendingPathComponent("contents")
    #expect(try ModelFile.draft(at: contents).file == contents.path)
    #expect(try ModelFile.versions(of: version).map(\.name) == ["Only"])
  }

  /// Xcode writes an empty mark for models of one version.
  @Test func aMarkThatNamesNothingMeansTheOnlyVersion() throws {
    let one = try ModelFolder(versions: ["Only"])
    let empty = try PropertyListSerialization.data(
      fromPropertyList: [String: String](),
      format: .xml,
      options: 0
    )
    try empty.write(to: one.url.appendingPathComponent(".xccurrentversion"))
    #expect(try ModelFile.draft(at: one.url).entities.map(\.name) == ["Only"])
    let two = try ModelFolder(versions: ["V1", "V2"])
    try empty.write(to: two.url.appendingPathComponent(".xccurrentversion"))
    let error = #expect(throws: ModelError.self) { try ModelFile.draft(at: two.url) }
    #expect(
      error?.reason
        == "the file has no text for the key _XCCurrentVersionName; set the key to the folder of the current "
        + "version, one of V1.xcdatamodel, V2.xcdatamodel"
    )
    try Data("no property list".utf8).write(to: one.url.appendingPathComponent(".xccurrentversion"))
    let damaged = #expect(throws: ModelError.self) { try ModelFile.draft(at: one.url) }
    #expect(damaged?.file?.hasSuffix(".xccurrentversion") == true)
  }

  @Test func ofSeveralCompiledVersionsWithoutVersionInfoThatFileIsSaidToBeMissing() throws {
    let folder = try ModelFolder(versions: [])
    let compiled = folder.directory.appendingPathComponent("Shop.momd")
    try FileManager.default.createDirectory(at: compiled, withIntermediateDirectories: true)
    for name in ["A", "B"] {
      try Data().write(to: compiled.appendingPathComponent(name + ".mom"))
    }
    let error = #expect(throws: ModelError.self) {
      try CompiledModel.draft(at: compiled, predicates: NoPredicates())
    }
    #expect(
      error?.reason
        == "the file VersionInfo.plist is missing, so the current version is not known; the versions are A, "
        + "B. Load one of the .mom files, or compile the model again"
    )
  }

  @Test func theErrorOfACompiledFolderSaysWhatIsMissing() throws {
    let folder = try ModelFolder(versions: [])
    let compiled = folder.directory.appendingPathComponent("Shop.momd")
    func reason() -> String? {
      let error = #expect(throws: ModelError.self) {
        try CompiledModel.draft(at: compiled, predicates: NoPredicates())
      }
      return error?.reason
    }
    #expect(reason() == "the model folder does not exist")
    try FileManager.default.createDirectory(at: compiled, withIntermediateDirectories: true)
    #expect(reason() == "the folder contains no .mom file; compile the model again")
    for name in ["A", "B"] {
      try Data().write(to: compiled.appendingPathComponent(name + ".mom"))
    }
    var info = VersionInfo()
    info.currentVersion = "C"
    try info.data.write(to: compiled.appendingPathComponent("VersionInfo.plist"))
    #expect(
      reason()
        == "the file VersionInfo.plist names the current version “C”, but the folder contains no file C.mom; "
        + "the versions are A, B. Load one of the .mom files, or compile the model again"
    )
    info.currentVersion = "A"
    try info.data.write(to: compiled.appendingPathComponent("VersionInfo.plist"))
    #expect(reason() == "the data is not a property list")
  }

  @Test("A mark of the current version that is there and cannot be read is an error that names it")
  func unreadableMark() throws {
    let folder = try ModelFolder(versions: ["V1", "V2"])
    let mark = folder.url.appendingPathComponent(".xccurrentversion")
    // Opens, but has no bytes to read.
    try FileManager.default.createDirectory(at: mark, withIntermediateDirectories: false)
    let error = #expect(throws: ModelError.self) { try ModelFile.draft(at: folder.url) }
    #expect(error?.file == mark.path)
  }

  @Test func aMissingVersionOrFolderIsAnError() throws {
    let folder = try ModelFolder(versions: ["V1"])
    try folder.markCurrent("V9.xcdatamodel")
    let missing = #expect(throws: ModelError.self) { try ModelFile.draft(at: folder.url) }
    #expect(
      missing?.reason
        == "the file names the current version “V9.xcdatamodel”, but the model has no such folder; its "
        + "folders are V1.xcdatamodel. Set the current version to one of them"
    )
    let absent = folder.directory.appendingPathComponent("No.xcdatamodeld")
    let error = #expect(throws: ModelError.self) { try ModelFile.draft(at: absent) }
    #expect(error?.reason == "the model folder does not exist")
    let file = folder.directory.appendingPathComponent("contents")
    #expect(throws: ModelError.self) { try ModelFile.draft(at: file) }
  }
}
