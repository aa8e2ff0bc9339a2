// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import Foundation

/// Keyed archives of property-list types and of `NSCoding` objects that a program allows.
enum SecureArchive {
  /// Classes that any attribute may hold.
  static let ordinary: [AnyClass] = [
    NSArray.self, NSDictionary.self, NSSet.self, NSOrderedSet.self, NSString.self, NSNumber.self,
    NSDate.self, NSData.self, NSURL.self, NSUUID.self, NSNull.self,
  ]

  /// Nil where the object cannot be archived.
  static func data(from object: Any) -> Data? {
    let archived = (object as? NSCoding) ?? bridged(object)
    guard let archived else { return nil }
    // The callers refuse a value without an archive, with its name.
    return try? NSKeyedArchiver.archivedData(withRootObject: archived, requiringSecureCoding: true)
  }

  /// The object of an archive that may come from anybody; nil where it names any other class.
  ///
  /// Ordinary values are read without Foundation, whose unarchiver stops the program on a class that
  /// is not allowed: it is only asked once the archive is known to name none.
  static func object(from data: Data, allowing classes: [AnyClass] = []) -> Any? {
    // What is not an archive has no object; the bytes stay in the row.
    guard let archive = try? KeyedArchive(data) else { return nil }
    if let value = archive.value(archive.root), !value.isNull { return value.any }
    if classes.isEmpty { return nil }
    let allowed = ordinary + classes
    let names = Set(
      allowed.map { NSStringFromClass($0) } + ["NSMutableArray", "NSMutableDictionary"]
    )
    for object in archive.objects {
      if let name = object["$classname"]?.text, !names.contains(name) { return nil }
    }
    // As above.
    return try? NSKeyedUnarchiver.unarchivedObject(ofClasses: allowed, from: data)
  }

  private static func bridged(_ object: Any) -> (any NSCoding)? {
    switch object {
    case let array as [Any]: NSArray(array: array)
    case let dictionary as [AnyHashable: Any]: NSDictionary(dictionary: dictionary)
    case let set as Set<AnyHashable>: NSSet(set: set)
    case let text as String: NSString(string: text)
    case let data as Data: NSData(data: data)
    case let date as Date:
      NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
    case let url as URL: NSURL(string: url.absoluteString) as (any NSCoding)?
    case let uuid as UUID: NSUUID(uuidString: uuid.uuidString)
    default: Value(any: object).number
    }
  }
}

extension Value {
  /// The value as an `NSNumber`, where it is a number.
  fileprivate var number: NSNumber? {
    switch self {
    case .bool(let flag): NSNumber(value: flag)
    case .int(let number): NSNumber(value: number)
    case .double(let number): NSNumber(value: number)
    case .decimal(let number): NSDecimalNumber(decimal: number)
    default: nil
    }
  }
}
