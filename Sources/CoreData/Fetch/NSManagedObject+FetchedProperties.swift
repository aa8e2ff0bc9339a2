// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataPredicate

/// Fetched properties, which are fetched at their first use and kept until the object becomes a fault.
extension NSManagedObject {
  /// Returns the objects of a fetched property, or nil if the object has no context.
  ///
  /// Stops the program if the request fails, as it does when a fault cannot be fired.
  /// - Complexity: one statement at the first use.
  final func fetchedObjects(_ property: PropertyDefinition) -> [NSManagedObject]? {
    realize(for: property.slot)
    if let known = detail?.objects[property.slot] { return known as? [NSManagedObject] }
    guard let context,
      let description = frozenModel.properties[key.entity][property.slot]
        as? NSFetchedPropertyDescription
    else { return nil }
    do {
      let objects = try fetch(description, in: context)
      detailCreatingIfNeeded.objects[property.slot] = objects
      return objects
    } catch {
      Misuse.unfulfilledFault(self, cocoaError(error))
    }
  }

  private func fetch(
    _ description: NSFetchedPropertyDescription,
    in context: NSManagedObjectContext
  ) throws -> [NSManagedObject] {
    guard let stored = description.fetchRequest else {
      throw coreDataError(
        NSCoreDataError,
        "The fetched property \(description.entity.name ?? "").\(description.name) has no fetch request, or "
          + "the predicate of the fetch request could not be parsed. In the second case a message on "
          + "standard error gives the reason. Set the property's fetchRequest before the model is used."
      )
    }
    let request = NSFetchRequest<NSManagedObject>(like: stored)
    request.resultType = .managedObjectResultType
    if let predicate = request.predicate {
      let condition = try predicate.condition.substituting([
        "FETCH_SOURCE": .object(self),
        "FETCHED_PROPERTY": .object(FetchedPropertyKeys(description)),
      ])
      request.predicate = NSPredicate.make(try condition.resolvingKeyPaths())
    }
    return try context.fetch(request)
  }
}

/// The object that `$FETCHED_PROPERTY` refers to in a predicate.
private final class FetchedPropertyKeys: KeyedObject {
  private let description: NSFetchedPropertyDescription

  init(_ description: NSFetchedPropertyDescription) { self.description = description }

  var objectKey: ObjectKey? { nil }

  func keyedValue(_ key: String) throws -> Value {
    switch key {
    case "self", "SELF": return .object(self)
    case "name": return .text(description.name)
    case "userInfo":
      let info = description.userInfo ?? [:]
      let pairs = info.map { ("\($0.key.base)", Value(any: $0.value)) }
      return .dictionary(Dictionary(pairs) { first, _ in first })
    case "entity": return .dictionary(["name": .text(description.entity.name ?? "")])
    default: throw UnknownKey(key: key, owner: "NSFetchedPropertyDescription")
    }
  }
}
