// SPDX-License-Identifier: Apache-2.0

import Foundation

enum FetchedTypes {
  /// Returns the results as elements of the type `T`.
  ///
  /// - Throws: `NSCoreDataError` (134060) if a result is not a `T`.
  static func cast<T>(_ results: [NSObject], for request: NSFetchRequest<T>) throws -> [T] {
    if let results = results as? [T] { return results }
    throw mismatch(results.first { !($0 is T) }.map { type(of: $0) } ?? NSObject.self, request)
  }

  /// Returns the objects as elements of the type `T`; consecutive objects of the same class are checked only
  /// once.
  ///
  /// - Throws: `NSCoreDataError` (134060) if an object is not a `T`.
  static func typed<T>(_ objects: [NSManagedObject], for request: NSFetchRequest<T>) throws -> [T] {
    var checked: AnyClass = NSNull.self
    for object in objects where type(of: object) != checked {
      guard object is T else { return try cast(objects, for: request) }
      checked = type(of: object)
    }
    // Every element is a T, and all arrays of class instances have the same layout.
    return unsafeBitCast(objects, to: [T].self)
  }

  /// Returns the error for a request with a result of the class `found`, which is not a `T`.
  static func mismatch<T>(_ found: AnyClass, _ request: NSFetchRequest<T>) -> NSError {
    coreDataError(
      NSCoreDataError,
      "The request's results are \(found), not \(T.self).",
      wayOut(found, request)
    )
  }

  private static func wayOut<T>(_ found: AnyClass, _ request: NSFetchRequest<T>) -> String {
    let form: String? =
      switch request.resultType {
      case .managedObjectIDResultType: "NSManagedObjectID"
      case .dictionaryResultType: "NSDictionary"
      case .countResultType: "NSNumber"
      default: nil
      }
    if let form {
      return "The request's resultType is \(request.resultType.name). Declare the request as "
        + "NSFetchRequest<\(form)>, or set the resultType that matches \(T.self)."
    }
    let entity = request.entityName.map { "the entity “\($0)”" } ?? "the request's entity"
    if found == NSManagedObject.self {
      return
        "The model names no class for \(entity) or for one of its subentities, or the class is not linked "
        + "into the program. Name the class in the model and link it, or declare the request as "
        + "NSFetchRequest<NSManagedObject>."
    }
    return
      "Objects of \(entity) or of one of its subentities have the class \(found). Declare the request with "
      + "this class or with one of its superclasses, for example as NSFetchRequest<NSManagedObject>."
  }
}
