// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// A property whose value is the result of a stored fetch.
///
/// ```swift
/// let rivals = NSFetchedPropertyDescription()
/// rivals.name = "rivals"
/// let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Team")
/// request.predicate = NSPredicate(format: "zone == $FETCH_SOURCE.zone AND SELF != $FETCH_SOURCE")
/// rivals.fetchRequest = request
/// ```
/// An object fetches it when it is first asked for, and keeps the array until it becomes a fault. In the
/// predicate `$FETCH_SOURCE` is the object and `$FETCHED_PROPERTY` this description.
/// Source: documented, “NSFetchedPropertyDescription”.
open class NSFetchedPropertyDescription: NSPropertyDescription, @unchecked Sendable {
  // Unchecked: as its superclass.

  private var request: NSFetchRequest<NSFetchRequestResult>?

  /// What is fetched; nil at first.
  ///
  /// Each reading gives a copy, and what is set is copied. Of a predicate that a model file has but that
  /// cannot be parsed, the value is nil, with the reason on the standard error.
  open var fetchRequest: NSFetchRequest<NSFetchRequestResult>? {
    get {
      if let request { return NSFetchRequest(like: request) }
      return definition?.template(named: name).request(in: owner?.target?.modelReference?.target)
    }
    set {
      willChange()
      request = newValue.map { NSFetchRequest(like: $0) }
      definition = newValue.map(FetchedPropertyDefinition.init)
    }
  }

  /// The request as texts: what a model file gives.
  package var definition: FetchedPropertyDefinition? { willSet { willChange() } }

  package override func take(_ other: NSPropertyDescription) {
    super.take(other)
    guard let other = other as? NSFetchedPropertyDescription else { return }
    definition = other.definition
    request = other.request
  }

  package override func hasSameContent(as other: NSPropertyDescription) -> Bool {
    guard let other = other as? NSFetchedPropertyDescription, super.hasSameContent(as: other) else {
      return false
    }
    return definition?.entityName == other.definition?.entityName
      && definition?.predicateFormat == other.definition?.predicateFormat
      && definition?.sort == other.definition?.sort
      && definition?.fetchLimit == other.definition?.fetchLimit
  }
}

extension FetchedPropertyDefinition {
  init(_ request: NSFetchRequest<NSFetchRequestResult>) {
    let template = FetchRequestTemplate(request, named: "")
    self.init(entityName: template.entity, predicateFormat: template.predicateFormat)
    sort = template.sort
    fetchLimit = template.fetchLimit
  }

  fileprivate func template(named name: String) -> FetchRequestTemplate {
    var template = FetchRequestTemplate(name: name, entity: entityName)
    template.predicateFormat = predicateFormat
    template.sort = sort
    template.fetchLimit = fetchLimit
    return template
  }
}
