// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension NSManagedObjectModel {
  /// Returns the template with the given name as a request for objects of `T`, or nil if the model has no
  /// such template or the template's predicate cannot be parsed.
  ///
  /// ```swift
  /// let venues: NSFetchRequest<Venue>? = model.fetchRequestTemplate(forName: "Venues")
  /// ```
  /// Not in Apple's framework: on Linux, casting a template with `as? NSFetchRequest<Venue>` gives nil
  /// (DEVIATIONS.md).
  @_disfavoredOverload
  public func fetchRequestTemplate<T>(forName name: String) -> NSFetchRequest<T>? {
    template(named: name).map { NSFetchRequest<T>(like: $0) }
  }

  /// Returns the template with its variables substituted, as a request for objects of `T`, or nil if the
  /// model has no such template or the template's predicate cannot be parsed.
  ///
  /// Not in Apple's framework. See `fetchRequestFromTemplate(withName:substitutionVariables:)`.
  @_disfavoredOverload
  public func fetchRequestFromTemplate<T>(
    withName name: String,
    substitutionVariables variables: [String: Any]
  ) -> NSFetchRequest<T>? {
    template(named: name, substituting: variables).map { NSFetchRequest<T>(like: $0) }
  }

  func template(named name: String) -> NSFetchRequest<NSFetchRequestResult>? {
    if let known = templateRequests[name] { return NSFetchRequest(like: known) }
    guard let draft = fetchRequestTemplateDrafts.first(where: { $0.name == name }) else {
      return nil
    }
    return draft.request(in: self, of: "the fetch request template “\(name)”")
  }

  func template(
    named name: String,
    substituting variables: [String: Any]
  ) -> NSFetchRequest<NSFetchRequestResult>? {
    guard let request = template(named: name) else { return nil }
    if let predicate = request.predicate {
      request.predicate = predicate.withSubstitutionVariables(variables)
    }
    return request
  }

  func setTemplate(_ request: NSFetchRequest<NSFetchRequestResult>?, _ name: String) {
    willChange()
    fetchRequestTemplateDrafts.removeAll { $0.name == name }
    templateRequests[name] = request.map { NSFetchRequest(like: $0) }
  }

  /// All templates in the form that model files contain.
  var templateDrafts: [FetchRequestTemplate] {
    let set = templateRequests.sorted { utf8Less($0.key, $1.key) }
    return fetchRequestTemplateDrafts + set.map { FetchRequestTemplate($1, named: $0) }
  }
}

extension FetchRequestTemplate {
  /// Creates a template with those settings of a request that a model file can contain.
  init(_ request: NSFetchRequest<NSFetchRequestResult>, named name: String) {
    self.init(name: name, entity: request.entityName ?? "")
    predicateFormat = request.predicate?.canonicalFormat
    sort = (request.sortDescriptors ?? []).map(RequestSort.init)
    resultType = request.resultType.rawValue
    fetchLimit = request.fetchLimit
    fetchOffset = request.fetchOffset
    fetchBatchSize = request.fetchBatchSize
    includesSubentities = request.includesSubentities
    includesPropertyValues = request.includesPropertyValues
    includesPendingChanges = request.includesPendingChanges
    returnsObjectsAsFaults = request.returnsObjectsAsFaults
    returnsDistinctResults = request.returnsDistinctResults
  }

  /// Returns a request with the template's settings, or nil if the predicate cannot be parsed.
  ///
  /// If the result is nil, the reason is written to standard error; `owner` names the template or the fetched
  /// property in this message.
  func request(
    in model: NSManagedObjectModel?,
    of owner: @autoclosure () -> String
  ) -> NSFetchRequest<NSFetchRequestResult>? {
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: entity)
    if let description = model?.entitiesByName[entity] { request.entity = description }
    do {
      request.predicate = try predicateFormat.map { try NSPredicate(validating: $0) }
    } catch {
      Diagnostics.note(
        "the predicate “\(predicateFormat ?? "")” of \(owner()) cannot be parsed: \(error)"
      )
      return nil
    }
    request.sortDescriptors = sort.isEmpty ? nil : sort.map(\.descriptor)
    request.resultType = NSFetchRequestResultType(rawValue: resultType)
    request.fetchLimit = fetchLimit
    request.fetchOffset = fetchOffset
    request.fetchBatchSize = fetchBatchSize
    request.includesSubentities = includesSubentities
    request.includesPropertyValues = includesPropertyValues
    request.includesPendingChanges = includesPendingChanges
    request.returnsObjectsAsFaults = returnsObjectsAsFaults
    request.returnsDistinctResults = returnsDistinctResults
    return request
  }
}

extension RequestSort {
  init(_ descriptor: NSSortDescriptor) {
    self.init(
      key: descriptor.sortKey.keyPath,
      isAscending: descriptor.ascending,
      selector: descriptor.selector?.name ?? Self.comparing
    )
  }

  var descriptor: NSSortDescriptor {
    NSSortDescriptor(key: key, ascending: isAscending, selector: Selector(selector))
  }
}
