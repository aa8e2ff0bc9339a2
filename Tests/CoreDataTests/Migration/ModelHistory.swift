// SPDX-License-Identifier: Apache-2.0

import CoreData
import FixtureStores
import _CoreDataModel
import _CoreDataTools

/// Two neighbours in the history of one model of the collection.
struct ModelStep: Sendable, CustomStringConvertible {
  let model: String
  let from: URL
  let to: URL
  var description: String {
    "\(model): \(from.lastPathComponent.suffix(40)) → \(to.lastPathComponent.suffix(40))"
  }

  /// Whether the tests take all of the collection, and not a sample.
  static let runsAll = ProcessInfo.processInfo.environment["COREDATA_ALL_FIXTURES"] != nil

  /// Chooses the sample and the random data: `COREDATA_MIGRATION_SEED`, or 7.
  static let seed =
    ProcessInfo.processInfo.environment["COREDATA_MIGRATION_SEED"].flatMap(UInt64.init) ?? 7

  /// Every 32nd step and every twelfth leap, or all with `COREDATA_ALL_FIXTURES`.
  static let chosen: [ModelStep] = sample(all, of: 32) + sample(leaps, of: 12)

  /// One of `count` elements from a place that the seed says, or all with `COREDATA_ALL_FIXTURES`.
  static func sample<Element>(_ elements: [Element], of count: Int) -> [Element] {
    if runsAll { return elements }
    let start = Int(seed % UInt64(count))
    return stride(from: start, to: elements.count, by: count).map { elements[$0] }
  }

  /// Neighbours by version, in sources and in compiled models.
  static let all: [ModelStep] = histories.sorted { $0.key < $1.key }.flatMap { model, versions in
    zip(versions, versions.dropFirst()).map { ModelStep(model: model, from: $0, to: $1) }
  }

  /// From the first version to the last, where there are others between them.
  static let leaps: [ModelStep] = histories.sorted { $0.key < $1.key }.compactMap {
    model,
    versions in
    guard versions.count > 2, let first = versions.first, let last = versions.last else {
      return nil
    }
    return ModelStep(model: model, from: first, to: last)
  }

  /// The names of the models whose stores go through all versions: two, or all with `COREDATA_ALL_FIXTURES`.
  static let chains: [String] = histories.filter { $0.value.count > 2 }.keys.sorted().filter {
    name in
    runsAll || ["Grocery-Dude-Core-Data-Book", "StreamChatModel"].contains { name.contains($0) }
  }

  /// The versions of each model, in their order.
  static let histories: [String: [URL]] = {
    let folder = FixtureStore.folder.appendingPathComponent("models")
    let sources = contents(of: folder).filter { $0.pathExtension == "contents" }
    var histories = Dictionary(grouping: sources) { file -> String in
      // Files of one repository without versions are models of their own.
      parts(of: file).prefix(3).joined(separator: "__")
    }.mapValues { $0.sorted { naturallyLess(version($0), version($1)) } }
    for compiled in contents(of: FixtureStore.folder.appendingPathComponent("compiled")) {
      let versions = contents(of: compiled).filter { $0.pathExtension == "mom" }
      if versions.isEmpty { continue }
      histories[compiled.lastPathComponent] = versions.sorted {
        naturallyLess(version($0), version($1))
      }
    }
    return histories
  }()

  private static func contents(of folder: URL) -> [URL] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().map { folder.appendingPathComponent($0) }
  }

  /// `owner__repository__Model__Version~2` without the copy's number in the model's name.
  private static func parts(of file: URL) -> [String] {
    let name = file.deletingPathExtension().lastPathComponent
    var parts = name.components(separatedBy: "__")
    if parts.count == 3, let mark = parts[2].lastIndex(of: "~") {
      parts[2] = String(parts[2][..<mark])
    }
    return parts
  }

  private static func version(_ file: URL) -> String {
    file.deletingPathExtension().lastPathComponent
  }
}

/// The models of a step.
struct StepModels {
  struct Version {
    let draft: ModelDraft
    let definition: ModelDefinition
    /// The model for coordinators.
    let model: NSManagedObjectModel

    /// Returns nil if the file is not a valid model; otherwise registers the model's transformers.
    init?(_ file: URL) {
      guard let draft = try? ModelOpening.draft(at: file),
        let version = try? Version(draft)
      else { return nil }
      self = version
      FixtureTransformers.register(for: definition)
    }

    /// - Throws: `ModelError` if the model is not valid.
    init(_ draft: ModelDraft) throws {
      self.draft = draft
      definition = try ModelDefinition(draft)
      model = .tools(draft)
    }
  }
  let old: Version
  let new: Version

  /// Whether the versions have the same hashes, so that nothing has to be migrated.
  var areEqual: Bool {
    ModelHashes(model: old.definition).byEntity == ModelHashes(model: new.definition).byEntity
  }
}

extension StepModels {
  init?(_ step: ModelStep) {
    guard let old = Version(step.from), let new = Version(step.to) else { return nil }
    self.init(old: old, new: new)
  }
}
