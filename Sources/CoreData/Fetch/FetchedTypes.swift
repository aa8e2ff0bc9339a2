// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Results as elements of the type that a request is generic over.
enum FetchedTypes {
  /// - Throws: 134060 where an element has another type.
  static func cast<T>(_ results: [NSObject], for request: NSFetchRequest<T>) throws -> [T] {
    if let results = results as? [T] { return results }
    let found = results.first { !($0 is T) }.map { "\(type(of: $0))" } ?? "?"
    throw mismatch(found, request)
  }

  /// The same for objects, with each class checked once.
  static func typed<T>(_ objects: [NSManagedObject], for request: NSFetchRequest<T>) throws -> [T] {
    var checked: AnyClass = NSNull.self
    for object in objects where type(of: object) != checked {
      guard object is T else { return try cast(objects, for: request) }
      checked = type(of: object)
    }
    // Every element is a T, and arrays of classes have one layout.
    return unsafeBitCast(objects, to: [T].self)
  }

  /// The error of a request whose results have the type named `found`.
  static func mismatch<T>(_ found: String, _ request: NSFetchRequest<T>) -> NSError {
    coreDataError(
      NSCoreDataError,
      "The request's results are \(found), not \(T.self).",
      "Name the result type that belongs to resultType, and give the entity "
        + "“\(request.entityName ?? "")” a class that the program has."
    )
  }
}
