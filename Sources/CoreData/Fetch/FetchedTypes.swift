// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Casts results to the element type of their request.
enum FetchedTypes {
  /// Returns the results as elements of the request's type.
  ///
  /// - Throws: 134060 if an element is not of the request's type.
  static func cast<T>(_ results: [NSObject], for request: NSFetchRequest<T>) throws -> [T] {
    if let results = results as? [T] { return results }
    let found = results.first { !($0 is T) }.map { "\(type(of: $0))" } ?? "?"
    throw mismatch(found, request)
  }

  /// Casts objects to the request's element type and checks each class only once.
  static func typed<T>(_ objects: [NSManagedObject], for request: NSFetchRequest<T>) throws -> [T] {
    var checked: AnyClass = NSNull.self
    for object in objects where type(of: object) != checked {
      guard object is T else { return try cast(objects, for: request) }
      checked = type(of: object)
    }
    // Every element is a T, and all arrays of class instances have the same layout.
    return unsafeBitCast(objects, to: [T].self)
  }

  /// Returns the error of a request whose results have the type named `found`.
  static func mismatch<T>(_ found: String, _ request: NSFetchRequest<T>) -> NSError {
    coreDataError(
      NSCoreDataError,
      "The request's results are \(found), not \(T.self).",
      "Declare the request with the type that matches its resultType, and link the class of the entity "
        + "“\(request.entityName ?? "")” into the program."
    )
  }
}
