// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// A property whose value is the result of a fetch request.
///
/// ```swift
/// let rivals = NSFetchedPropertyDescription()
/// rivals.name = "rivals"
/// let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Team")
/// request.predicate = NSPredicate(format: "zone == $FETCH_SOURCE.zone AND SELF != $FETCH_SOURCE")
/// rivals.fetchRequest = request
/// ```
/// An object executes the request when the property is first read, and keeps the result until the object
/// becomes a fault. In the predicate, `$FETCH_SOURCE` refers to the object and `$FETCHED_PROPERTY` to this
/// description.
///
/// Source: documented, “NSFetchedPropertyDescription”.
open class NSFetchedPropertyDescription: NSPropertyDescription, @unchecked Sendable {
  // Unchecked: like every property, the description is changed only before the model is first used.

  private var request: NSFetchRequest<NSFetchRequestResult>?

  /// The request to execute; nil by default.
  ///
  /// Reading or setting this property copies the request. If the predicate in a model file cannot be parsed,
  /// the value is nil and the reason is written to standard error.
  open var fetchRequest: NSFetchRequest<NSFetchRequestResult>? {
    get {
      if let request { return NSFetchRequest(like: request) }
      let entity = owner?.target
      return definition?.template(named: name).request(
        in: entity?.modelReference?.target,
        of: "the fetched property \(entity?.name.map { "\($0)." } ?? "")\(name)"
      )
    }
    set {
      willChange()
      request = newValue.map { NSFetchRequest(like: $0) }
      definition = newValue.map(FetchedPropertyDefinition.init)
    }
  }

  /// The request in the form that model files use; nil if there is no request.
  package var definition: FetchedPropertyDefinition? { willSet { willChange() } }

  package override func copySettings(from other: NSPropertyDescription) {
    super.copySettings(from: other)
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
