// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// A model: the entities of a store and how they are related.
///
/// ```swift
/// let model = NSManagedObjectModel()
/// model.entities = [team]
/// ```
/// Mutable until a coordinator uses it; a later change stops the program.
/// Source: documented, “NSManagedObjectModel”.
open class NSManagedObjectModel: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked: changed only before a coordinator uses the model; `freeze()` is guarded by a lock.

  private var entityList: [NSEntityDescription] = []
  private var configurationNames: [String] = []
  private var configurationEntities: [String: [NSEntityDescription]] = [:]
  private let reference = BackReference<NSManagedObjectModel>()
  private let freezing = NSLock()
  private var frozenModel: FrozenModel?
  let cache = DefinitionCache()
  /// Names the developer gave to this version; empty at first.
  open var versionIdentifiers: Set<AnyHashable> = [] { willSet { willChange() } }
  /// Texts for names of entities and properties, and for errors; nil at first.
  ///
  /// Keys are `Entity/<name>`, `Property/<name>/Entity/<entity>`, `Property/<name>` and
  /// `ErrorString/<text>`. It may be set at any time.
  open var localizationDictionary: [String: String]?
  /// Where the model was read from; nil for a model built in code.
  package var sourceURL: URL?
  /// Whether the model was guessed from a store's tables, which must not be written with it.
  package var isReconstructed = false
  /// Whether the model is for tools, whose objects are of no class of the program and whose values need no
  /// transformers.
  package var isForTools = false
  /// Modules in which classes named without one are looked for first.
  package var classModules: [String] = []
  /// Composite types of the model file, by name.
  package var compositeDrafts: [String: [PropertyDraft]] = [:] { willSet { willChange() } }
  package var fetchRequestTemplateDrafts: [FetchRequestTemplate] = [] { willSet { willChange() } }
  /// Fetch requests that were set in code, by name.
  var templateRequests: [String: NSFetchRequest<NSFetchRequestResult>] = [:]

  /// A model without entities.
  public override init() {
    super.init()
    reference.set(self)
  }

  deinit {
    reference.clear()
    for entity in entityList { entity.modelReference = nil }
  }

  /// Reads a model: an `.xcdatamodeld` (its current version), an `.xcdatamodel` or its `contents`; a
  /// `.momd` (its current version) or a `.mom`.
  ///
  /// Nil, with the reason on the standard error, where the file cannot be read or is no valid model.
  public convenience init?(contentsOf url: URL) {
    do {
      let draft = try ModelLocator.draft(at: url)
      try draft.checkHierarchy()
      self.init(draft: draft)
      sourceURL = url
      classModules = ModelLocator.modules(near: url)
    } catch {
      Diagnostics.note("cannot load the model at \(url.path): \(error)")
      return nil
    }
  }

  /// One model with the entities of all `models`, copied; nil merges the models of the main bundle.
  ///
  /// Nil, with the reason on the standard error, where two different entities have one name.
  public convenience init?(byMerging models: [NSManagedObjectModel]?) {
    let sources = models ?? ModelLocator.models(in: nil)
    guard let merged = ModelMerger().merge(sources) else { return nil }
    self.init()
    take(merged)
  }

  /// One model with those entities of `models` whose version hashes are the metadata's, copied.
  ///
  /// Nil where an entity of the metadata has no match.
  public convenience init?(
    byMerging models: [NSManagedObjectModel],
    forStoreMetadata metadata: [String: Any]
  ) {
    guard let merged = ModelMerger().merge(models, forStoreMetadata: metadata) else { return nil }
    self.init()
    take(merged)
  }

  /// One model with all models found in `bundles`; nil searches the main bundle.
  ///
  /// Nil, with the reason on the standard error, where there is no model or the models do not fit together.
  open class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
    let models = ModelLocator.models(in: bundles)
    if models.isEmpty {
      Diagnostics.note("no model (.xcdatamodeld, .xcdatamodel, .momd, .mom) found to merge")
      return nil
    }
    return NSManagedObjectModel(byMerging: models)
  }

  /// One model with those entities found in `bundles` that fit the metadata; nil where one is missing.
  ///
  /// All versions of the models are looked at, not the current ones alone.
  open class func mergedModel(
    from bundles: [Bundle]?,
    forStoreMetadata metadata: [String: Any]
  ) -> NSManagedObjectModel? {
    let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
    return NSManagedObjectModel(
      byMerging: ModelLocator.models(in: bundles, fitting: hashes),
      forStoreMetadata: metadata
    )
  }

  // MARK: Entities

  /// The entities; empty at first.
  ///
  /// Sub-entities of listed ones are added.
  open var entities: [NSEntityDescription] {
    get { entityList }
    set {
      willChange()
      for entity in entityList { entity.modelReference = nil }
      entityList = []
      adopt(newValue)
    }
  }
  /// The entities by name; the first of two with one name.
  open var entitiesByName: [String: NSEntityDescription] {
    Dictionary(entityList.compactMap { entity in entity.name.map { ($0, entity) } }) { first, _ in
      first
    }
  }

  // MARK: Configurations

  /// Names of the configurations, in the order they were set; empty at first.
  open var configurations: [String] { configurationNames }
  /// The entities of a configuration: all for nil, nil for an unknown name.
  open func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
    guard let configuration else { return entityList }
    return configurationEntities[configuration]
  }
  /// Sets the entities of a configuration, which is made where there is none of that name.
  ///
  /// An entity that is not the model's stops the program.
  open func setEntities(
    _ entities: [NSEntityDescription],
    forConfigurationName configuration: String
  ) {
    willChange()
    for entity in entities where entity.modelReference?.target !== self {
      Misuse.entityOutsideModel(entity.name, configuration: configuration)
    }
    if configurationEntities.updateValue(entities, forKey: configuration) == nil {
      configurationNames.append(configuration)
    }
  }

  // MARK: Fetch request templates

  /// Copies of all templates, by name.
  open var fetchRequestTemplatesByName: [String: NSFetchRequest<NSFetchRequestResult>] {
    var templates: [String: NSFetchRequest<NSFetchRequestResult>] = [:]
    for name in fetchRequestTemplateDrafts.map(\.name) + templateRequests.keys {
      templates[name] = template(named: name)
    }
    return templates
  }
  /// A copy of the template of that name; nil where there is none.
  ///
  /// One whose predicate has variables is used through
  /// `fetchRequestFromTemplate(withName:substitutionVariables:)`.
  /// Source: documented, “fetchRequestTemplate(forName:)”.
  open func fetchRequestTemplate(forName name: String) -> NSFetchRequest<NSFetchRequestResult>? {
    template(named: name)
  }
  /// A copy of the template of that name with values in place of its predicate's variables; `NSNull`
  /// stands for nil.
  ///
  /// Nil where there is no such template; a variable without a value stops the program.
  open func fetchRequestFromTemplate(
    withName name: String,
    substitutionVariables variables: [String: Any]
  ) -> NSFetchRequest<NSFetchRequestResult>? {
    template(named: name, substituting: variables)
  }
  /// Takes a copy of the request as the template of that name; nil takes the template away.
  open func setFetchRequestTemplate(
    _ fetchRequestTemplate: NSFetchRequest<NSFetchRequestResult>?,
    forName name: String
  ) {
    setTemplate(fetchRequestTemplate, name)
  }

  // MARK: Version

  /// Each entity's version hash, 32 bytes; empty for a broken model.
  open var entityVersionHashesByName: [String: Data] { versionHashes() }
  /// The checksum that a store's metadata and `VersionInfo.plist` hold; empty for a broken model.
  open var versionChecksum: String { checksum() }
  /// Whether the store's entities are the configuration's, by name and version hash, and no others.
  ///
  /// False for an unknown configuration and for metadata without hashes.
  open func isConfiguration(
    withName configuration: String?,
    compatibleWithStoreMetadata metadata: [String: Any]
  ) -> Bool {
    matches(configuration, metadata)
  }

  // MARK: Copying, equality

  /// A mutable copy with copied entities.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSManagedObjectModel()
    let copies = EntityCopier().copy(entityList)
    let pairs = zip(entityList, copies).map { (ObjectIdentifier($0), $1) }
    let byOriginal = Dictionary(pairs) { first, _ in first }
    copy.adopt(copies)
    for name in configurationNames {
      let members = configurationEntities[name] ?? []
      copy.setEntities(
        members.compactMap { byOriginal[ObjectIdentifier($0)] },
        forConfigurationName: name
      )
    }
    copy.versionIdentifiers = versionIdentifiers
    copy.localizationDictionary = localizationDictionary
    copy.sourceURL = sourceURL
    copy.isReconstructed = isReconstructed
    copy.isForTools = isForTools
    copy.classModules = classModules
    copy.fetchRequestTemplateDrafts = fetchRequestTemplateDrafts
    copy.templateRequests = templateRequests
    copy.compositeDrafts = compositeDrafts
    return copy
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSManagedObjectModel else { return false }
    if self === other { return true }
    return entitiesByName == other.entitiesByName && versionIdentifiers == other.versionIdentifiers
      && configurationEntities.mapValues { Set($0) }
        == other.configurationEntities.mapValues { Set($0) }
  }
  open override var hash: Int { Set(entityList.compactMap(\.name)).hashValue }
  open override var description: String {
    "(<NSManagedObjectModel>) isEditable \(frozenModel == nil ? 1 : 0), entities "
      + "\(entityList.compactMap(\.name)), versionIdentifiers "
      + "\(versionIdentifiers.map { "\($0.base)" }.sorted())"
  }
}

extension NSManagedObjectModel {
  package var backReference: BackReference<NSManagedObjectModel> { reference }
  /// Whether a coordinator uses the model.
  package var isFrozen: Bool { frozenModel != nil }

  /// The immutable form, built at the first call; from then on the model cannot be changed.
  ///
  /// - Throws: `NSCoreDataError` (134060), naming entity, property and reason, for a broken model.
  /// - Complexity: O(properties) at the first call.
  package func freeze() throws -> FrozenModel {
    freezing.lock()
    defer { freezing.unlock() }
    if let frozenModel { return frozenModel }
    do {
      let frozen = try FrozenModel(self)
      frozenModel = frozen
      return frozen
    } catch {
      throw cocoaError(error)
    }
  }

  /// The frozen form where there is one.
  package var frozen: FrozenModel? {
    freezing.lock()
    defer { freezing.unlock() }
    return frozenModel
  }

  func willChange() {
    if isFrozen { Misuse.immutableModel() }
    ModelEdits.add()
  }

  /// Adds entities, and those below them, that are not there yet.
  func adopt(_ entities: [NSEntityDescription]) {
    for entity in entities {
      if !entityList.contains(where: { $0 === entity }) {
        entity.willChange()
        entityList.append(entity)
        entity.modelReference = reference
      }
      adopt(entity.subentities)
    }
  }

  private func take(_ other: NSManagedObjectModel) {
    let entities = other.entities
    let configurations = other.configurationNames.map {
      ($0, other.configurationEntities[$0] ?? [])
    }
    other.entities = []
    adopt(entities)
    for (name, members) in configurations { setEntities(members, forConfigurationName: name) }
    versionIdentifiers = other.versionIdentifiers
    localizationDictionary = other.localizationDictionary
    classModules = other.classModules
    fetchRequestTemplateDrafts = other.fetchRequestTemplateDrafts
    templateRequests = other.templateRequests
    compositeDrafts = other.compositeDrafts
  }
}
