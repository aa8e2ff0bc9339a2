// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// A model: a set of entities, with configurations and fetch request templates.
///
/// ```swift
/// let model = NSManagedObjectModel()
/// model.entities = [team]
/// ```
/// A model is mutable until a coordinator or an object uses the model. Later changes stop the program, except
/// changes of `localizationDictionary`.
///
/// Source: documented, “NSManagedObjectModel”.
open class NSManagedObjectModel: NSObject, NSCopying, @unchecked Sendable {
  // Unchecked: after the model's first use only `localizationDictionary` changes; `freeze()` is guarded by a
  // lock.

  private var entityList: [NSEntityDescription] = []
  private var configurationNames: [String] = []
  private var configurationEntities: [String: [NSEntityDescription]] = [:]
  private let reference = BackReference<NSManagedObjectModel>()
  private let freezing = NSLock()
  private var frozenModel: FrozenModel?
  let cache = DefinitionCache()
  /// The identifiers that the developer gives to this version of the model; empty by default.
  open var versionIdentifiers: Set<AnyHashable> = [] { willSet { willChange() } }
  /// Localised names of entities and properties, and localised error strings; nil by default.
  ///
  /// Keys are `Entity/<name>`, `Property/<name>/Entity/<entity>`, `Property/<name>` and
  /// `ErrorString/<text>`. The dictionary can be set at any time.
  open var localizationDictionary: [String: String]?
  /// The model or store file from which the model was read; nil for a model that was merged or built in code.
  package var sourceURL: URL?
  /// Whether the model was reconstructed from a store's tables.
  ///
  /// Such a model must not be used to write to the store.
  package var isReconstructed = false
  /// Whether the model is used by a tool.
  ///
  /// If it is, objects are plain `NSManagedObject`s, and missing transformers are not reported.
  package var isForTools = false
  /// The modules in which the entities' classes are looked up before the program's own modules; see
  /// `ClassRegistry.resolve(_:modules:)`.
  package var classModules: [String] = []
  /// The composite types of the model file, by name.
  package var compositeDrafts: [String: [PropertyDraft]] = [:] { willSet { willChange() } }
  package var fetchRequestTemplateDrafts: [FetchRequestTemplate] = [] { willSet { willChange() } }
  /// The fetch request templates set in code, by name.
  var templateRequests: [String: NSFetchRequest<NSFetchRequestResult>] = [:]

  /// Creates a model without entities.
  public override init() {
    super.init()
    reference.set(self)
  }

  deinit {
    reference.clear()
    for entity in entityList { entity.modelReference = nil }
  }

  /// Reads a model from a file or folder.
  ///
  /// Of an `.xcdatamodeld` or a `.momd`, the current version is read. The other possible formats are an
  /// `.xcdatamodel` or its `contents`, a `.mom`, and an `.omo` in the folder of its `.mom`.
  ///
  /// Returns nil, and writes the reason to standard error, if the file cannot be read, two entities have the
  /// same name, or the parent entities form a cycle or are nested too deeply. Other errors in the model are
  /// reported when the model is first used.
  public convenience init?(contentsOf url: URL) {
    do {
      let draft = try ModelLocator.draft(at: url)
      try draft.checkHierarchy()
      self.init(draft: draft)
      sourceURL = url
      classModules = ModelLocator.modules(near: url)
    } catch {
      // If the error has a file, its description already begins with the file's path.
      let place = (error as? ModelError)?.file == nil ? " at \(url.path)" : ""
      Diagnostics.note("cannot load the model\(place): \(error)")
      return nil
    }
  }

  /// Creates a model with copies of the entities of all `models`.
  ///
  /// If `models` is nil, uses the models in the main bundle. If two different entities have the same name, or
  /// a model is not valid, returns nil and writes the reason to standard error.
  public convenience init?(byMerging models: [NSManagedObjectModel]?) {
    let sources = models ?? ModelLocator.models(in: nil)
    guard let merged = ModelMerger().merge(sources) else { return nil }
    self.init()
    copySettings(from: merged)
  }

  /// Creates a model with copies of those entities of `models` whose version hashes are in the metadata.
  ///
  /// Returns nil if an entity in the metadata has no match, or if the metadata has no version hashes. A model
  /// that is not valid is left out, and the reason is written to standard error.
  public convenience init?(
    byMerging models: [NSManagedObjectModel],
    forStoreMetadata metadata: [String: Any]
  ) {
    guard let merged = ModelMerger().merge(models, forStoreMetadata: metadata) else { return nil }
    self.init()
    copySettings(from: merged)
  }

  /// Returns a model merged from all models in `bundles`, or in the main bundle if `bundles` is nil.
  ///
  /// A model file that cannot be read is left out. If no model remains, if a model is not valid, or if two
  /// different entities have the same name, returns nil. Each reason is written to standard error.
  open class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
    let models = ModelLocator.models(in: bundles)
    if models.isEmpty {
      Diagnostics.note(ModelLocator.reasonForNoModel(in: bundles))
      return nil
    }
    return NSManagedObjectModel(byMerging: models)
  }

  /// Returns a model with those entities in `bundles` that match the metadata.
  ///
  /// If `bundles` is nil, searches the main bundle. All versions of the models are searched, not only the
  /// current ones.
  ///
  /// Returns nil if an entity in the metadata has no match, or if the metadata has no version hashes. A model
  /// that cannot be read or is not valid is left out, and the reason is written to standard error.
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

  /// The entities; empty by default.
  ///
  /// Setting this property also adds the subentities of the listed entities.
  open var entities: [NSEntityDescription] {
    get { entityList }
    set {
      willChange()
      for entity in entityList { entity.modelReference = nil }
      entityList = []
      addEntities(newValue)
    }
  }
  /// The entities by name; if several entities have the same name, only the first one is included.
  open var entitiesByName: [String: NSEntityDescription] {
    Dictionary(entityList.compactMap { entity in entity.name.map { ($0, entity) } }) { first, _ in
      first
    }
  }

  // MARK: Configurations

  /// The names of the configurations, in the order in which they were set; empty by default.
  open var configurations: [String] { configurationNames }
  /// Returns the entities of a configuration, or all entities if `configuration` is nil.
  ///
  /// Returns nil if the model has no such configuration.
  open func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
    guard let configuration else { return entityList }
    return configurationEntities[configuration]
  }
  /// Sets the entities of a configuration, and creates the configuration if it does not exist.
  ///
  /// Stops the program if an entity does not belong to this model.
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

  /// Copies of the templates, by name.
  ///
  /// A template of a model file is left out if its predicate cannot be parsed.
  open var fetchRequestTemplatesByName: [String: NSFetchRequest<NSFetchRequestResult>] {
    var templates: [String: NSFetchRequest<NSFetchRequestResult>] = [:]
    for name in fetchRequestTemplateDrafts.map(\.name) + templateRequests.keys {
      templates[name] = template(named: name)
    }
    return templates
  }
  /// Returns a copy of the template with the given name, or nil if the model has no such template.
  ///
  /// If the template's predicate in a model file cannot be parsed, returns nil and writes the reason to
  /// standard error.
  ///
  /// If the predicate contains variables, use `fetchRequestFromTemplate(withName:substitutionVariables:)`
  /// instead.
  ///
  /// Source: documented, “fetchRequestTemplate(forName:)”.
  open func fetchRequestTemplate(forName name: String) -> NSFetchRequest<NSFetchRequestResult>? {
    template(named: name)
  }
  /// Returns a copy of the template with the given name, in which the predicate's variables are substituted.
  ///
  /// Returns nil in the same cases as `fetchRequestTemplate(forName:)`. `NSNull` as a value means nil. A
  /// variable without a value stops the program.
  open func fetchRequestFromTemplate(
    withName name: String,
    substitutionVariables variables: [String: Any]
  ) -> NSFetchRequest<NSFetchRequestResult>? {
    template(named: name, substituting: variables)
  }
  /// Sets a copy of the request as the template with the given name; nil removes the template.
  open func setFetchRequestTemplate(
    _ fetchRequestTemplate: NSFetchRequest<NSFetchRequestResult>?,
    forName name: String
  ) {
    setTemplate(fetchRequestTemplate, name)
  }

  // MARK: Version

  /// The 32-byte version hash of each entity; empty for an invalid model.
  open var entityVersionHashesByName: [String: Data] { versionHashes() }
  /// The model's checksum, as written to a store's metadata and `VersionInfo.plist`; empty for an invalid
  /// model.
  open var versionChecksum: String { checksum() }
  /// Returns whether the configuration's entities match those of the store by name and version hash.
  ///
  /// If `configuration` is nil, compares all entities of the model. Also returns true, for every
  /// configuration of the model, if the store's entities are exactly the entities of the whole model. Returns
  /// false for an unknown configuration and for metadata without hashes.
  open func isConfiguration(
    withName configuration: String?,
    compatibleWithStoreMetadata metadata: [String: Any]
  ) -> Bool {
    matches(configuration, metadata)
  }

  // MARK: Copying, equality

  /// Returns a mutable copy with copied entities.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSManagedObjectModel()
    let copies = EntityCopier().copy(entityList)
    let pairs = zip(entityList, copies).map { (ObjectIdentifier($0), $1) }
    let byOriginal = Dictionary(pairs) { first, _ in first }
    copy.addEntities(copies)
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
  var place: String { sourceURL.map { " at \($0.path)" } ?? "" }

  package var backReference: BackReference<NSManagedObjectModel> { reference }
  /// Whether a coordinator or an object has used the model, which makes the model immutable.
  package var isFrozen: Bool { frozenModel != nil }

  /// Returns the frozen form, which is built at the first call.
  ///
  /// After a successful call the model is immutable.
  ///
  /// - Throws: `NSCoreDataError` (134060), with entity, property and reason, for an invalid model.
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

  /// The frozen form; nil until a coordinator or an object uses the model.
  package var frozen: FrozenModel? {
    freezing.lock()
    defer { freezing.unlock() }
    return frozenModel
  }

  func willChange() {
    if isFrozen { Misuse.immutableModel() }
    ModelEdits.add()
  }

  func addEntities(_ entities: [NSEntityDescription]) {
    for entity in entities {
      if !entityList.contains(where: { $0 === entity }) {
        entity.willChange()
        entityList.append(entity)
        entity.modelReference = reference
      }
      addEntities(entity.subentities)
    }
  }

  private func copySettings(from other: NSManagedObjectModel) {
    let entities = other.entities
    let configurations = other.configurationNames.map {
      ($0, other.configurationEntities[$0] ?? [])
    }
    other.entities = []
    addEntities(entities)
    for (name, members) in configurations { setEntities(members, forConfigurationName: name) }
    versionIdentifiers = other.versionIdentifiers
    localizationDictionary = other.localizationDictionary
    classModules = other.classModules
    fetchRequestTemplateDrafts = other.fetchRequestTemplateDrafts
    templateRequests = other.templateRequests
    compositeDrafts = other.compositeDrafts
  }
}
