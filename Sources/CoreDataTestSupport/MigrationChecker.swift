// SPDX-License-Identifier: Apache-2.0

import CoreData
import _CoreDataModel
import _CoreDataTools

/// Checks that a program migrates the stores of all released versions of its model without losing anything.
///
/// For each released version, the checker creates a store with random valid data, opens the store with the
/// program's code, and compares the migrated objects with the data. Not in Apple's framework.
///
/// ```swift
/// @Test func migrations() throws {
///   var checker = try MigrationChecker(modelAt: modelURL, seed: 7)
///   checker.addLaw("each text is in a body", versions: ["Notes", "Notes 2"]) { before, context in
///     let texts = try context.fetch(Body.fetchRequest()).compactMap(\.text)
///     …
///   }
///   let failures = try checker.failures { url in try NotesStore.open(at: url) }
///   #expect(failures == [])
/// }
/// ```
/// These laws are checked for every program:
/// - Objects of entities that the current model still has are neither lost nor added. Values and links of
///   properties that the current model still has do not change. Entities and properties are followed from
///   version to version by their names and renaming identifiers. `exemptions` lists the exceptions.
/// - A relationship and its inverse have the same links.
/// - The file passes `PRAGMA integrity_check` and `coredata doctor`, and the current model opens it without
///   another migration.
///
/// Objects are matched by their values, so a migration may change their primary keys.
public struct MigrationChecker {
  /// A violation of a law.
  public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The name of the version that created the store.
    public let version: String
    /// The seed of the random data.
    public let seed: UInt64
    /// The name of the violated law if it was added with `addLaw(_:versions:_:)`; nil for the laws that are
    /// checked for every program.
    public let law: String?
    /// The object's entity and primary key, such as `Note/p1`; nil if the failure is not about one object.
    ///
    /// A failure that concerns only the migrated store contains the object's primary key in that store.
    public let object: String?
    /// The name of the property in the current model; nil if the failure is not about one property.
    public let property: String?
    /// A description of the violation, such as “the object is missing”.
    public let text: String

    /// One line with the version, the seed, the text and, if they are not nil, the law, object and property.
    public var description: String {
      let place = [object, property].compactMap(\.self).joined(separator: ".")
      return "store of “\(version)” (seed \(seed)): " + (law.map { "\($0): " } ?? "")
        + (place.isEmpty ? "" : "\(place): ") + text
    }
  }

  /// The error that a law throws to name an object and a property.
  public struct Violation: Error, CustomStringConvertible {
    /// The name of the object, such as `Note/p1`; nil if the violation is not about one object.
    public let object: String?
    /// The name of the property; nil if the violation is not about one property.
    public let property: String?
    /// A description of the violation, without the names of the object and the property.
    public let description: String

    /// Creates a violation of a law.
    public init(_ description: String, object: String? = nil, property: String? = nil) {
      self.object = object
      self.property = property
      self.description = description
    }
  }

  struct Law {
    let name: String
    let versions: [String]?
    let check: (StoreSnapshot, NSManagedObjectContext) throws -> Void
  }

  /// The names of the versions whose stores are migrated, in the order of their releases.
  ///
  /// The default is all versions of the model except the current one, in natural order (2 before 10).
  public var versions: [String]
  /// The entities (`Folder`) and properties (`Note.title`) that are not compared, because the migration
  /// changes them on purpose; empty by default.
  ///
  /// The names are those of the current model. Links to objects of an exempt entity are not compared either.
  public var exemptions: Set<String> = []
  /// The number of random objects to create for each entity that is not abstract; 6 by default.
  public var objectsOfEachEntity = 6
  /// The seed of the random data.
  public let seed: UInt64

  let url: URL
  let current: LoadedModel
  let currentName: String
  private(set) var laws: [Law] = []

  /// Creates a checker for a model with several versions (`.xcdatamodeld` or `.momd`).
  ///
  /// Checkers with the same seed create the same data.
  /// - Throws: an error if the model cannot be read, or if no version is marked as the current one.
  public init(modelAt url: URL, seed: UInt64 = 1) throws {
    self.url = url
    self.seed = seed
    guard let name = try ModelOpening.currentVersion(of: url) else {
      throw ToolError(
        "\(url.path): no version is marked as the current one",
        hint:
          "Choose the current version in Xcode's File inspector, or write it into .xccurrentversion."
      )
    }
    currentName = name
    current = try ModelOpening.load(url, version: name)
    versions = try ModelOpening.versions(of: url).map(\.name).filter { $0 != name }
  }

  /// Adds a law that the program's migrations must obey.
  ///
  /// - Parameters:
  ///   - name: The law's name in failures, such as “each text is in a body”.
  ///   - versions: The names of the versions to whose stores the law applies; nil for all.
  ///   - check: Throws an error, such as a `Violation`, if the law does not hold. The arguments are a
  ///     snapshot of the store before the migration, and a context of the migrated store. `check` runs on the
  ///     context's queue.
  public mutating func addLaw(
    _ name: String,
    versions: [String]? = nil,
    _ check: @escaping (_ before: StoreSnapshot, _ after: NSManagedObjectContext) throws -> Void
  ) {
    laws.append(Law(name: name, versions: versions, check: check))
  }

  /// Returns the entities (`Log`) and properties (`Note.folderName`) of a version that a later version
  /// removes, and the properties to which a later version gives an incompatible type.
  ///
  /// Entities and properties that a renaming identifier renames are left out. The checker does not compare
  /// the values of the returned properties, because a mapping model or a policy may move the values, and an
  /// inferred mapping drops them. Compare the result with the list that you expect, to notice a forgotten
  /// renaming identifier.
  /// - Throws: an error if a version cannot be read.
  public func dropped(from version: String) throws -> [String] {
    let source = try ModelOpening.load(url, version: version)
    let shared = try shared(from: version, source)
    return source.definition.entities.flatMap { entity -> [String] in
      guard shared.entities[entity.name] != nil else { return [entity.name] }
      let kept = shared.properties[entity.name] ?? [:]
      return entity.properties.filter {
        $0.declaringEntity == entity.index && !$0.isTransient && !$0.isFetched
          && $0.attribute?.derivation == nil && kept[$0.name] == nil
      }.map { "\(entity.name).\($0.name)" }
    }
  }

  /// Returns the entities and properties that a version and the current model share.
  ///
  /// Names and renaming identifiers are followed through the versions in between.
  func shared(from version: String, _ source: LoadedModel) throws -> SharedDefinitions {
    var model = source.definition
    var shared = SharedDefinitions(model, model)
    let index = versions.firstIndex(of: version) ?? versions.endIndex - 1
    for name in versions[(index + 1)...] + [currentName] {
      let next = try ModelOpening.load(url, version: name).definition
      shared = shared.followed(by: SharedDefinitions(model, next))
      model = next
    }
    return shared
  }
}
