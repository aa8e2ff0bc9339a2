// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataPredicate
import Foundation

/// The object that a coder is decoding, read field by field.
struct CoderFields: ArchivedFields {
  let coder: NSCoder
  let className: String

  /// How deep the objects being read are nested; archives that hold themselves end here.
  @TaskLocal static var depth = 0
  private static let limit = 200

  init(_ coder: NSCoder, _ className: String) {
    self.coder = coder
    self.className = className
  }

  /// What `body` reads, nil where it throws; the coder learns the reason.
  static func read<Result>(
    _ coder: NSCoder,
    _ className: String,
    _ body: (CoderFields) throws -> Result
  ) -> Result? {
    do {
      guard depth < limit else { throw ArchiveError("The archived predicate is too deep") }
      return try $depth.withValue(depth + 1) { try body(CoderFields(coder, className)) }
    } catch {
      coder.failReading("\(error)")
      return nil
    }
  }

  func integer(_ key: String) -> Int64? {
    coder.containsValue(forKey: key) ? coder.decodeInt64(forKey: key) : nil
  }
  func text(_ key: String) -> String? {
    coder.decodeObject(of: NSString.self, forKey: key).map { String(describing: $0) }
  }

  private static let constants: [AnyClass] = [
    NSString.self, NSNumber.self, NSDecimalNumber.self, NSDate.self, NSData.self, NSUUID.self,
    NSURL.self, NSNull.self, NSArray.self, NSSet.self, NSOrderedSet.self, NSDictionary.self,
  ]

  func value(_ key: String) throws -> Value {
    Value(any: coder.decodeObject(of: Self.constants, forKey: key))
  }

  func term(_ key: String) throws -> Term {
    guard let expression = coder.decodeObject(of: NSExpression.self, forKey: key) else {
      throw ArchiveError("An archived object has no \(key)")
    }
    return expression.term
  }

  func terms(_ key: String) throws -> [Term] {
    let array = coder.decodeObject(of: [NSArray.self, NSExpression.self], forKey: key)
    guard let expressions = array as? [NSExpression] else {
      throw ArchiveError("An archived object has no \(key)")
    }
    return expressions.map(\.term)
  }

  func condition(_ key: String) throws -> Condition {
    guard let predicate = coder.decodeObject(of: NSPredicate.self, forKey: key) else {
      throw ArchiveError("An archived object has no \(key)")
    }
    return predicate.condition
  }

  func conditions(_ key: String) throws -> [Condition] {
    let array = coder.decodeObject(of: [NSArray.self, NSPredicate.self], forKey: key)
    guard let predicates = array as? [NSPredicate] else {
      throw ArchiveError("An archived object has no \(key)")
    }
    return predicates.map(\.condition)
  }

  func archivedOperator(_ key: String) -> ArchivedOperator? {
    coder.decodeObject(of: OperatorObject.self, forKey: key)?.content
  }
}

/// The objects that were made while an object was encoded.
final class KeptObjects: @unchecked Sendable {
  // Unchecked: filled by one thread before anybody else sees it, and only released afterwards.
  private var objects: [AnyObject] = []
  func keep<Object: AnyObject>(_ object: Object) -> Object {
    objects.append(object)
    return object
  }
}

extension NSCoder {
  /// Encodes an object's fields under their keys; the caller keeps the result as long as itself.
  ///
  /// An archiver knows the objects it has encoded by their addresses, which must not be used again.
  func encode(_ part: ArchivedPart) -> KeptObjects {
    ArchiveNames.register()
    let kept = KeptObjects()
    for (key, field) in part.fields { encode(field, key, kept) }
    return kept
  }

  /// Ends reading with an error.
  func failReading(_ reason: String) {
    failWithError(CocoaError(.coderReadCorrupt, userInfo: [NSDebugDescriptionErrorKey: reason]))
  }

  /// Stops the program, as Apple's coders do where an object cannot be encoded.
  func failArchiving(_ reason: String) -> Never { Misuse.failedArchiving(reason) }

  private func encode(_ field: ArchivedPart.Field, _ key: String, _ kept: KeptObjects) {
    switch field {
    case .integer(let number): encode(number, forKey: key)
    case .flag(let flag): encode(flag, forKey: key)
    case .text(let text): encode(kept.keep(NSString(string: text)), forKey: key)
    case .value(let value):
      switch value.any {
      case nil: encode(nil, forKey: key)
      case let object? where value.isArchivable:
        encode(kept.keep(Self.archivable(object)), forKey: key)
      case let object as NSObject & NSCoding: encode(kept.keep(object), forKey: key)
      case let object?: failArchiving("\(type(of: object)) cannot be archived")
      }
    case .term(let term): encode(kept.keep(NSExpression.make(term)), forKey: key)
    case .condition(let condition): encode(kept.keep(NSPredicate.make(condition)), forKey: key)
    case .part(let part): encode(kept.keep(object(part)), forKey: key)
    case .terms(let terms): encode(array(terms.map(NSExpression.make), kept), forKey: key)
    case .conditions(let conditions):
      encode(array(conditions.map(NSPredicate.make), kept), forKey: key)
    case .parts(let parts): encode(array(parts.map(object), kept), forKey: key)
    }
  }

  private func array(_ members: [NSObject], _ kept: KeptObjects) -> NSArray {
    kept.keep(NSArray(array: members.map(kept.keep)))
  }

  /// The value as one of Foundation's classes, which archivers encode as they are.
  private static func archivable(_ any: Any) -> AnyObject {
    switch any {
    case let text as String: NSString(string: text)
    case let date as Date:
      NSDate(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
    case let data as Data: NSData(data: data)
    case let uuid as UUID: NSUUID(uuidString: uuid.uuidString) ?? NSUUID()
    case let url as URL: NSURL(string: url.absoluteString) ?? NSURL(fileURLWithPath: "/")
    case let array as [Any]: NSArray(array: array)
    case let dictionary as [String: Any]: NSDictionary(dictionary: dictionary)
    default: any as AnyObject
    }
  }

  private func object(_ part: ArchivedPart) -> NSObject {
    part.className.hasSuffix("Expression") ? NSExpression(part: part) : OperatorObject(part)
  }
}
