// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

struct FetchedList {
  let list: ResultsList
  let dependencies: ResultsDependencies
}

/// One fetch of a results controller, from the request to a sorted and sectioned list.
struct ResultsFetch<Result: NSFetchRequestResult> {
  let request: NSFetchRequest<Result>
  let context: NSManagedObjectContext
  let sectionNameKeyPath: String?
  let cacheName: String?
  let entity: EntityDefinition
  let description: FetchDescription

  /// Checks a controller's request against the model of the controller's context.
  ///
  /// Stops the program if the request's `sortDescriptors` are nil or the context has no model.
  /// - Throws: `NSCoreDataError` if the request's `resultType` is not `managedObjectResultType`; the errors
  ///   of resolving the request.
  init(for controller: NSFetchedResultsController<Result>) throws {
    request = controller.fetchRequest
    context = controller.managedObjectContext
    sectionNameKeyPath = controller.sectionNameKeyPath
    cacheName = controller.cacheName
    guard request.resultType == .managedObjectResultType else {
      throw coreDataError(
        NSCoreDataError,
        "A fetched results controller requires managed objects.",
        "The resultType of its fetch request for the entity “\(request.entityName ?? "")” is "
          + "\(request.resultType.name). Set it to managedObjectResultType."
      )
    }
    if request.sortDescriptors == nil { Misuse.resultsWithoutOrder() }
    guard let model = context.frozenModel else {
      Misuse.contextHasNoModel(entityName: request.entityName ?? "")
    }
    entity = try request.resolve(in: model)
    description = try request.description(of: entity, in: model.definition)
  }

  var shownEntities: Range<Int> {
    description.includesSubentities ? entity.family : entity.index..<entity.index + 1
  }

  /// Fetches the objects and divides them into sections.
  ///
  /// - Throws: the errors of the fetch; `NSCoreDataError` if the objects of a section are not contiguous.
  /// - Complexity: O(rows), or O(rows · log rows) without sort descriptors, in addition to the fetch. To find
  ///   the sections, a batched fetch reads all batches, unless the sections are cached or the store can count
  ///   the rows of each section with one statement.
  func run() throws -> FetchedList {
    let cache = sectionCache()
    var objects = try context.fetch(request)
    let cached = cache?.load()
    let counted = cached == nil ? countedSections(of: objects.count) : nil
    let rules = ResultsRules(
      for: description,
      of: entity,
      shownEntities: shownEntities,
      sectionNameKeyPath: sectionNameKeyPath
    )
    // Without sort keys a store returns rows in any order, but the list needs a defined order to position
    // changed rows.
    if description.order.isEmpty { objects.sort { rules.compare($0, $1) < 0 } }
    let list = try list(of: objects, rules, cached ?? counted, isProven: counted != nil)
    if !list.usedKnownSections { cache?.save(list) }
    return FetchedList(
      list: list,
      dependencies: ResultsDependencies(
        RelatedPaths(description, sectionNameKeyPath, in: context.registry.model),
        shownEntities: shownEntities,
        in: context
      )
    )
  }

  private func list(
    of objects: [Result],
    _ rules: ResultsRules,
    _ known: [KnownSection]?,
    isProven: Bool
  ) throws -> ResultsList {
    do throws(SectionOrderError) {
      return try ResultsList(sorted: objects, rules: rules, known: known, isProven: isProven)
    } catch {
      // Other contexts may have saved new values since these objects were read, so the store's order may
      // differ from the order of the values in this context.
      let sorted = objects.sorted { rules.compare($0, $1) < 0 }
      // The error of the first attempt is thrown, because it refers to the fetched order.
      guard let list = try? ResultsList(sorted: sorted, rules: rules) else {
        throw outOfOrder(error)
      }
      return list
    }
  }

  private func outOfOrder(_ error: SectionOrderError) -> NSError {
    coreDataError(
      NSCoreDataError,
      "The fetched object at index \(error.position) has an out of order section name "
        + "'\(error.name)'. Objects must be sorted by section name.",
      "The section '\(error.name)' occurs again after '\(error.after)', because "
        + outOfOrderReason(sectionNameKeyPath ?? "")
    )
  }

  /// Returns the end of the error text: the clause after “because”, and the remedy.
  private func outOfOrderReason(_ path: String) -> String {
    guard let first = description.order.first else {
      return
        "the fetch request has no sort descriptors. Sort first by sectionNameKeyPath '\(path)'."
    }
    if first.keyPath == path {
      return
        "the first sort descriptor, which sorts by sectionNameKeyPath '\(path)', does not put equal "
        + "names next to each other. "
        + (first.comparison == .standard
          ? "Refresh the objects and fetch again, because names may have changed since they were read."
          : "Sort with the selector compare:, or use a sectionNameKeyPath that has the same value for all "
            + "names that the selector treats as equal.")
    }
    return "the first sort key is not sectionNameKeyPath '\(path)'; the sort keys are "
      + description.order.map { "'\($0.keyPath)'" }.joined(separator: ", ")
      + ". Use sectionNameKeyPath as the key of the first sort descriptor, or sort first by a key with the "
      + "same order."
  }
}
