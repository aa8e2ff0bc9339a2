// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import Foundation

/// The bytes that a store keeps for a transformable attribute, for who copies them unread.
package struct ArchivedContent: Sendable {
  package let data: Data
  package init(_ data: Data) { self.data = data }
}

/// Turns the objects of transformable attributes into the bytes that a store keeps, and back.
///
/// Without a named transformer: a secure keyed archive, as Apple's default.
enum Transformable {
  /// Nil where the object cannot be archived.
  static func data(from object: Any, _ property: PropertyDefinition) -> Data? {
    if let content = object as? ArchivedContent { return content.data }
    let archived = (object as? NSCoding) ?? bridged(object)
    guard let archived else { return nil }
    return try? NSKeyedArchiver.archivedData(withRootObject: archived, requiringSecureCoding: true)
  }

  /// Nil where the bytes are no archive of a property-list type or of the attribute's own class.
  static func object(from data: Data, _ property: PropertyDefinition) -> Any? {
    let classes: [AnyClass] = [
      NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self,
      NSData.self, NSURL.self, NSUUID.self, NSNull.self,
    ]
    return try? NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data)
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
