// SPDX-License-Identifier: Apache-2.0

import CoreDataGraph
import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation

/// The content of a fetched results controller, whatever its result type: the list, and the way from
/// the context's changes to the delegate.
final class TrackedResults: ContextObserver {
  let context: NSManagedObjectContext
  let sectionNameKeyPath: String?
  /// The owner, under the type that delegates see.
  unowned let controller: NSFetchedResultsController<NSFetchRequestResult>
  /// Nil before the first fetch.
  private(set) var list: ResultsList?
  /// What the delegate was found not to implement.
  var unimplemented: DelegateMethods = []
  weak var delegate: (any NSFetchedResultsControllerDelegate)? {
    didSet {
      unimplemented = []
      follow()
    }
  }
  /// Whether the context was reset since the fetch.
  private var isInvalidated = false
  private var isTelling = false
  /// Changes that came while the delegate was told others.
  private var waiting: [ContextChanges] = []
  private var infos: (revision: Int, sections: [any NSFetchedResultsSectionInfo])?

  init(
    _ context: NSManagedObjectContext,
    _ sectionNameKeyPath: String?,
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  ) {
    self.context = context
    self.sectionNameKeyPath = sectionNameKeyPath
    self.controller = controller
  }

  // MARK: Content

  /// Fetches the content; there is none where that fails.
  func performFetch<Result>(_ request: NSFetchRequest<Result>) throws {
    defer { follow() }
    list = nil
    infos = nil
    waiting = []
    isInvalidated = false
    guard request.resultType == .managedObjectResultType else {
      throw coreDataError(
        NSCoreDataError,
        "A fetched results controller shows managed objects.",
        "The resultType of its fetch request is another one; leave it at managedObjectResultType."
      )
    }
    let objects = try context.fetch(request)
    guard let model = context.frozenModel else { return }
    let description = try request.description(of: request.resolve(in: model))
    do throws(SectionOrderError) {
      list = try ResultsList(sorted: objects, rules: rules(description))
    } catch {
      throw outOfOrder(error, description)
    }
  }

  /// The object of a row.
  func object(at path: IndexPath) -> AnyObject {
    guard let list else { Misuse.resultsNotFetched() }
    let sections = list.sections
    guard path.count == 2, sections.indices.contains(path[0]) else {
      Misuse.noObject(at: path, sections: sections.count, rows: nil)
    }
    let section = sections[path[0]]
    guard path[1] >= 0, path[1] < section.count else {
      Misuse.noObject(at: path, sections: sections.count, rows: section.count)
    }
    return section[path[1]]
  }

  /// Follows the context where there is content and somebody to tell.
  private func follow() {
    if let list, delegate != nil, !isInvalidated {
      list.prepare()
      context.addObserver(self)
    } else {
      context.removeObserver(self)
    }
  }

  /// One for each section, the same until the content changes.
  var sections: [any NSFetchedResultsSectionInfo]? {
    guard let list else { return nil }
    if let infos, infos.revision == list.revision { return infos.sections }
    let sections = list.sections.map { ResultsSectionInfo($0, of: self) }
    infos = (list.revision, sections)
    return sections
  }

  static func managed(_ object: AnyObject) -> NSManagedObject {
    // Only a fetch of managed objects, and the context's changes, fill the list.
    unsafeDowncast(object, to: NSManagedObject.self)
  }

  // MARK: Rules

  private func rules(_ description: FetchDescription) -> ResultsRules {
    let entity = context.registry.model.entities[description.entity]
    let realize = { (object: GraphObject) in Self.managed(object).realize() }
    let value = { (object: GraphObject, path: String) in Self.value(Self.managed(object), path) }
    let order = ObjectOrder(description.order, entity: entity, realize: realize, value: value)
    var rules = ResultsRules(
      matches: scope(description, entity),
      compare: { order.compare(Self.managed($0), Self.managed($1)) }
    )
    if let sectionNameKeyPath {
      let names = SectionNames(
        sectionNameKeyPath,
        entity: entity,
        realize: realize,
        value: value
      )
      rules.sectionName = { names.name(of: Self.managed($0)) }
    }
    return rules
  }

  private func scope(
    _ description: FetchDescription,
    _ entity: EntityDefinition
  ) -> (AnyObject) -> Bool {
    let entities =
      description.includesSubentities ? entity.family : entity.index..<entity.index + 1
    let condition = description.condition.map(PreparedCondition.init)
    return { object in
      let object = Self.managed(object)
      guard entities.contains(object.key.entity), object.isManaged, !object.flags.contains(.deleted)
      else {
        return false
      }
      guard let condition else { return true }
      do {
        return try condition.holds(for: .object(object))
      } catch {
        Misuse.failedEvaluation("\(error)")
      }
    }
  }

  /// The value at a key path; what the model does not know is asked by key-value coding.
  private static func value(_ object: NSManagedObject, _ path: String) -> Value {
    if let property = object.property(path) {
      // A transient may be computed by the class.
      return property.isTransient
        ? Value(any: object.value(forKey: path)) : object.keyedValue(of: property)
    }
    do {
      return try Value.object(object).value(forKeyPath: path)
    } catch {
      return Value(any: object.value(forKey: path))
    }
  }

  private func outOfOrder(_ error: SectionOrderError, _ description: FetchDescription) -> NSError {
    coreDataError(
      NSCoreDataError,
      "The fetched object at index \(error.position) has an out of order section name "
        + "'\(error.name)'. Objects must be sorted by section name.",
      "The section '\(error.name)' came back after '\(error.after)': sectionNameKeyPath "
        + "'\(sectionNameKeyPath ?? "")' does not lead the sort, which is by "
        + description.order.map { "'\($0.keyPath)'" }.joined(separator: ", ")
        + ". Make it the key of the first sort descriptor, or sort first by a key that gives the "
        + "same order."
    )
  }

  // MARK: Changes

  func contextDidChange(_ changes: ContextChanges) {
    if changes.invalidatedAll {
      // After a reset the content stays as it is until the next fetch, as documented: its objects are
      // no longer the context's.
      context.removeObserver(self)
      isInvalidated = true
      return
    }
    waiting.append(changes)
    if isTelling { return }
    isTelling = true
    defer { isTelling = false }
    while !waiting.isEmpty { apply(waiting.removeFirst()) }
  }

  private func apply(_ changes: ContextChanges) {
    guard let list, let delegate else { return }
    let touched: [AnyObject] = changes.inserted + changes.updated + changes.refreshed
    guard list.isConcerned(touched: touched, gone: changes.deleted) else { return }
    let controller = controller
    if !unimplemented.contains(.willChange) { delegate.controllerWillChangeContent(controller) }
    let result = list.apply(touched: touched, gone: changes.deleted)
    tell(result, delegate)
    if !unimplemented.contains(.didChange) { delegate.controllerDidChangeContent(controller) }
  }

  private func tell(
    _ changes: ResultChanges,
    _ delegate: any NSFetchedResultsControllerDelegate
  ) {
    let controller = controller
    let sections =
      changes.deletedSections.map { ($0, NSFetchedResultsChangeType.delete) }
      + changes.insertedSections.map { ($0, .insert) }
    for (change, type) in sections where !unimplemented.contains(.section) {
      delegate.controller(
        controller,
        didChange: ResultsSectionInfo(change.section, of: self),
        atSectionIndex: change.index,
        for: type
      )
    }
    for change in changes.rows where !unimplemented.contains(.object) {
      delegate.controller(
        controller,
        didChange: Self.managed(change.object),
        at: change.old.map(IndexPath.init),
        for: NSFetchedResultsChangeType(change.kind),
        newIndexPath: change.new.map(IndexPath.init)
      )
    }
  }
}

extension IndexPath {
  init(_ path: ResultPath) { self.init(indexes: [path.section, path.row]) }
}

extension NSFetchedResultsChangeType {
  init(_ kind: ResultChange.Kind) {
    self =
      switch kind {
      case .insert: .insert
      case .delete: .delete
      case .move: .move
      case .update: .update
      }
  }
}
