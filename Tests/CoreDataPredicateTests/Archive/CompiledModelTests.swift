// SPDX-License-Identifier: Apache-2.0

import Foundation
import PredicateCases
import Testing
import _CoreDataModel
import _CoreDataPredicate

/// Apple's compiled models, and ours.
@Suite("Compiled models", .enabled(if: Shared.hasCases, "no shared fixtures: set COREDATA_SHARED"))
struct CompiledModelTests {
  private let predicates = PredicateTexts()
  private static let root = Shared.root.appendingPathComponent("fixtures/compiled")

  private let readsAll = ProcessInfo.processInfo.environment["COREDATA_ALL_FIXTURES"] != nil

  /// All files of an extension below the folder of compiled models, sorted.
  private func files(_ pathExtension: String) throws -> [URL] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: Self.root.path)
    return names.filter { $0.hasSuffix("." + pathExtension) }.sorted()
      .map { Self.root.appendingPathComponent($0) }
  }

  private func draft(_ file: URL) throws -> ModelDraft {
    try CompiledModel.draft(at: file, predicates: predicates)
  }

  @Test("Every compiled model loads, and its hashes are those of VersionInfo.plist")
  func hashes() throws {
    var compared = 0
    for file in try files("mom") {
      let model = try ModelDefinition(draft(file))
      #expect(!model.entities.isEmpty, "\(file.path)")
      let folder = file.deletingLastPathComponent()
      let version = file.deletingPathExtension().lastPathComponent
      guard let info = try? CompiledModel.info(of: folder), let stored = info.hashes[version] else {
        continue
      }
      let hashes = ModelHashes(model: model)
      #expect(hashes.differences(stored: stored) == [], "\(file.path)")
      if hashes.unverifiable.isEmpty {
        compared += 1
        #expect(hashes.byEntity == stored, "\(file.path)")
        if let checksum = info.checksums[version] { #expect(hashes.checksum == checksum) }
      }
    }
    #expect(compared >= 15)
  }

  @Test("A folder gives its current version; the names of the others are there too")
  func versions() throws {
    let folder = Self.root.appendingPathComponent(
      "SwiftGen__SwiftGen__SwiftGen.playground_Resources_Model.momd__hist"
    )
    // The folder's name ends in what the collection added to it.
    let renamed = FileManager.default.temporaryDirectory
      .appendingPathComponent(UUID().uuidString + ".momd")
    try FileManager.default.copyItem(at: folder, to: renamed)
    defer { try? FileManager.default.removeItem(at: renamed) }
    #expect(try CompiledModel.versions(of: renamed).map(\.name) == ["Model", "Model 2"])
    let current = try draft(renamed)
    #expect(current.file?.hasSuffix("Model 2.mom") == true)
    let names = current.fetchRequestTemplates.map(\.name)
    #expect(names == ["DictionaryFetchRequest", "ObjectFetchRequest", "ObjectIDFetchRequest"])
    #expect(current.configurations == ["Custom": ["NewEntity"]])
    let optimised = renamed.appendingPathComponent("Model 2.omo")
    #expect(try ModelDefinition(draft(optimised)).facts == ModelDefinition(current).facts)
  }

  @Test("The compiled form of a source says what the source says")
  func sources() throws {
    let models = Shared.root.appendingPathComponent("fixtures/models")
    for (source, compiled) in [
      (
        "alemar11__CoreDataPlus__SampleModel__SampleModel2.contents",
        "alemar11__CoreDataPlus__SampleModel_Fixtures_SampleModel.momd/SampleModel2.mom"
      ),
      (
        "alemar11__CoreDataPlus__SampleModel3.contents",
        "alemar11__CoreDataPlus__SampleModel3_Fixtures_SampleModel3.momd/SampleModel3.mom"
      ),
    ] {
      let ours = try ModelDefinition(ModelFile.draft(at: models.appendingPathComponent(source)))
      let apples = try ModelDefinition(draft(Self.root.appendingPathComponent(compiled)))
      #expect(Set(ours.facts).symmetricDifference(apples.facts).sorted() == [], "\(source)")
    }
  }

  @Test("What is read from a compiled model and written again has the same objects and keys")
  func rewritten() throws {
    for file in try files("mom") {
      let data = try Data(contentsOf: file)
      // One model was compiled by another tool, as XML, with keys of its own.
      if data.first == UInt8(ascii: "<") { continue }
      // The other versions of the largest model add seconds.
      if !readsAll, file.path.contains("XcodeServer"), file.path.contains("__hist") { continue }
      let model = try ModelDefinition(draft(file))
      let ours = try ModelArchive.archive(model, form: .compiled, predicates: predicates)
      let again = try ModelDefinition(ModelArchive.draft(ours, predicates: predicates))
      #expect(Set(again.facts).symmetricDifference(model.facts).sorted() == [], "\(file.path)")
      let expected = try ArchiveTree(KeyedArchive(data)).lines
      var found = try ArchiveTree(KeyedArchive(ours)).lines
      if !expected.contains(where: { $0.contains("NSFetchIndexDescription") }) {
        // Tools before fetch indexes only marked attributes and listed groups.
        found = found.filter { !$0.hasPrefix("NSFetchIndexDescription ") }.map {
          $0.replacing(/\ NSFetchIndexDescriptions=Array\[[^\]]*\]/, with: "")
            .replacing(" NSCompoundIndexes=Array[]", with: "")
        }
      }
      let difference = Set(found).symmetricDifference(expected).sorted()
      #expect(difference == [], "\(file.path)")
    }
  }

  @Test("A folder written here reads back equal, with the keys that Apple's has")
  func folder() throws {
    let url = Shared.root.appendingPathComponent(
      "fixtures/models/SwiftGen__SwiftGen__Model__Model_2~2.contents"
    )
    let model = try ModelDefinition(ModelFile.draft(at: url))
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent(UUID().uuidString + ".momd")
    defer { try? FileManager.default.removeItem(at: folder) }
    try CompiledModel.write(
      [("One", model), ("Two", model)],
      current: "Two",
      to: folder,
      predicates: predicates
    )
    let read = try draft(folder)
    #expect(read.file?.hasSuffix("Two.mom") == true)
    let difference = Set(try ModelDefinition(read).facts).symmetricDifference(model.facts)
    // The format is printed anew: a truth value is a number.
    #expect(difference.allSatisfy { $0.hasPrefix("MainEntity.fetchedProperty: fetched NewEntity") })
    let info = try CompiledModel.info(of: folder)
    #expect(info.hashes["One"] == ModelHashes(model: model).byEntity)
    #expect(info.checksums["One"] == ModelHashes(model: model).checksum)
    let list = try PropertyListSerialization.propertyList(
      from: Data(contentsOf: folder.appendingPathComponent("VersionInfo.plist")),
      format: nil
    )
    #expect(
      Set(try #require(list as? [String: Any]).keys) == [
        "NSManagedObjectModel_CurrentVersionName", "NSManagedObjectModel_VersionHashes",
        "NSManagedObjectModel_VersionChecksums",
      ]
    )
  }

  @Test("Apple's folders, read and written anew, have a VersionInfo.plist of equal keys and values")
  func versionInfo() throws {
    var compared = 0
    for file in try files("plist") {
      let folder = file.deletingLastPathComponent()
      let expected = try list(file)
      // One folder was compiled by another tool.
      guard let hashes = expected["NSManagedObjectModel_VersionHashes"] as? [String: Any] else {
        continue
      }
      let versions = try hashes.keys.sorted().compactMap {
        name -> (name: String, model: ModelDefinition)? in
        let file = folder.appendingPathComponent(name + ".mom")
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return (name, try ModelDefinition(draft(file)))
      }
      // One folder of the collection has no models; another's derived attributes have unknown hashes.
      if versions.count < hashes.count
        || !versions.allSatisfy({ ModelHashes(model: $0.model).unverifiable.isEmpty })
      {
        continue
      }
      compared += 1
      let ours = FileManager.default.temporaryDirectory
        .appendingPathComponent(UUID().uuidString + ".momd")
      defer { try? FileManager.default.removeItem(at: ours) }
      try CompiledModel.write(
        versions,
        current: expected["NSManagedObjectModel_CurrentVersionName"] as? String ?? "",
        to: ours,
        predicates: predicates
      )
      // A single version need not be named; tools before Xcode 15 write no checksums.
      let found = try list(ours.appendingPathComponent("VersionInfo.plist"))
        .filter { expected[$0.key] != nil }
      #expect(NSDictionary(dictionary: found) == NSDictionary(dictionary: expected), "\(file.path)")
    }
    #expect(compared >= 8)
  }

  private func list(_ file: URL) throws -> [String: Any] {
    let list = try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil)
    return try #require(list as? [String: Any])
  }

  @Test("Every source of the collection compiles, and reads back equal")
  func compiledSources() throws {
    let folder = Shared.root.appendingPathComponent("fixtures/models")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".contents") }.sorted()
    var compiled = 0
    // Every model takes a minute in a debug build.
    let step = readsAll ? 1 : 17
    for name in names.enumerated().filter({ $0.offset % step == 0 }).map(\.element) {
      let model = try ModelDefinition(ModelFile.draft(at: folder.appendingPathComponent(name)))
      let isComposite = model.entities.contains { entity in
        entity.properties.contains { $0.attribute?.type == .composite }
      }
      for form in [ModelArchive.Form.compiled, .cache] {
        if isComposite {
          #expect(throws: ModelError.self) {
            try ModelArchive.archive(model, form: form, predicates: predicates)
          }
          continue
        }
        let data = try ModelArchive.archive(model, form: form, predicates: predicates)
        let read = try ModelDefinition(ModelArchive.draft(data, predicates: predicates))
        compiled += 1
        // Formats are printed anew; those of the collection that print otherwise say the same.
        let difference = Set(read.facts).symmetricDifference(model.facts)
          .filter { !$0.contains("request ") && !$0.contains(": fetched ") }
          .filter { !$0.contains(": derived from ") }
        #expect(difference == [], "\(name)")
        #expect(read.fetchRequestTemplates.count == model.fetchRequestTemplates.count)
      }
    }
    #expect(compiled > 600 / step)
  }

  @Test("Damaged archives of models give an error or a model, never a trap")
  func damaged() throws {
    let file = Self.root.appendingPathComponent(
      "alemar11__CoreDataPlus__SampleModel_Fixtures_SampleModel.momd/SampleModel2.mom"
    )
    let data = try Data(contentsOf: file)
    var refused = 0
    for index in stride(from: 0, to: data.count, by: 7) {
      var damaged = data
      damaged[index] ^= 0x11
      do {
        _ = try ModelDefinition(ModelArchive.draft(damaged, predicates: predicates))
      } catch {
        refused += 1
      }
    }
    #expect(refused > data.count / 70)
    for count in stride(from: 0, to: data.count, by: 137) {
      #expect(throws: (any Error).self) {
        try ModelArchive.draft(data.prefix(count), predicates: predicates)
      }
    }
  }
}

/// A keyed archive as lines that do not depend on the order of its objects.
struct ArchiveTree {
  private let archive: KeyedArchive
  init(_ archive: KeyedArchive) { self.archive = archive }

  /// One line for each entity and property and the model: class, keys, and what they refer to.
  var lines: [String] {
    archive.objects.compactMap { object in
      switch archive.className(object) {
      case "NSManagedObjectModel", "NSEntityDescription", "NSAttributeDescription",
        "NSRelationshipDescription", "NSFetchedPropertyDescription",
        "NSDerivedAttributeDescription", "NSFetchIndexDescription":
        line(object)
      default: nil
      }
    }.sorted()
  }

  private func line(_ object: PropertyListNode) -> String {
    guard case .dictionary(let fields) = object else { return "" }
    let parts = fields.keys.sorted().filter {
      // The compiler's own version.
      $0 != "$class" && !$0.hasPrefix("CDMCompiler")
    }.map { "\($0)=\(text(fields[$0], 0))" }
    return "\(archive.className(object) ?? "") \(parts.joined(separator: " "))"
  }

  private func text(_ field: PropertyListNode?, _ depth: Int) -> String {
    guard let object = archive[field] else { return "null" }
    if let text = archive.text(field) { return "'\(text)'" }
    guard case .dictionary(let fields) = object, let name = archive.className(object) else {
      // A truth value that was a constant of a format comes back as a number.
      if depth > 1, let flag = object.bool { return "\(PropertyListNode.integer(flag ? 1 : 0))" }
      return "\(object)"
    }
    switch name {
    case "NSEntityDescription", "NSManagedObjectModel", "NSFetchIndexDescription",
      "NSRelationshipDescription":
      let own = fields["NSEntityName"] ?? fields["NSPropertyName"] ?? fields["NSIndexName"]
      return "<\(name) \(archive.text(own) ?? "")>"
    case "NSAttributeDescription", "NSFetchedPropertyDescription",
      "NSDerivedAttributeDescription":
      return "<\(name) \(archive.text(fields["NSPropertyName"]) ?? "")>"
    default: break
    }
    if depth > 30 { return "…" }
    if name == "NSDecimalNumberPlaceholder", fields["NS.length"] == .integer(0) { return "0" }
    if fields["NS.keys"] != nil {
      let members = archive.entries(object).map { "\($0.key):\(text($0.value, depth + 1))" }
      return "\(name){\(members.sorted().joined(separator: ","))}"
    }
    if let members = fields["NS.objects"]?.array {
      var texts = members.map { text($0, depth + 1) }
      if name.hasSuffix("Set") { texts.sort() }
      // Arrays are mutable or not by chance.
      return "Array[\(texts.joined(separator: ","))]"
    }
    let parts = fields.keys.sorted().filter { $0 != "$class" }
      .map { "\($0)=\(text(fields[$0], depth + 1))" }
    return "\(name)(\(parts.joined(separator: " ")))"
  }
}
