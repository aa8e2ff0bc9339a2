// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

extension Value {
  /// Creates the core's value for any Swift or Foundation value; nil and `NSNull` become `.null`.
  ///
  /// A value without a matching case becomes `.opaque`. A `Float` is converted exactly. An integer that does
  /// not fit in `Int64` becomes a decimal.
  package init(any: Any?) {
    guard let any else {
      self = .null
      return
    }
    self = Self.native(any) ?? Self.foundation(any) ?? Self.composite(any) ?? .opaque(any)
  }

  /// Whether the value is nil or `NSNull`.
  static func isNilOrNull(_ any: Any?) -> Bool {
    guard let any else { return true }
    let type: Any.Type = type(of: any)
    // A failed cast is much slower than comparisons of types.
    if type == String.self || type == Int.self || type == Int64.self || type == Bool.self
      || type == Double.self || type == Date.self || type == Data.self
    {
      return false
    }
    return any is NSNull
  }

  /// Converts values of frequent types; returns nil for a value of any other type.
  ///
  /// The types are compared by identity, because a failed cast is much slower.
  private static func native(_ any: Any) -> Value? {
    let type: Any.Type = type(of: any)
    if type == String.self { return (any as? String).map(Value.text) }
    if type == Int.self { return (any as? Int).map { .int(Int64($0)) } }
    if type == Int64.self { return (any as? Int64).map(Value.int) }
    if type == Bool.self { return (any as? Bool).map(Value.bool) }
    if type == Double.self { return (any as? Double).map(Value.double) }
    if type == Date.self {
      return (any as? Date).map { .date($0.timeIntervalSinceReferenceDate) }
    }
    if type == UUID.self { return (any as? UUID).map(Value.uuid) }
    if type == Data.self { return (any as? Data).map(Value.data) }
    if type == URL.self { return (any as? URL).map(Value.url) }
    if type == Decimal.self { return (any as? Decimal).map(Value.decimal) }
    if type == Int16.self { return (any as? Int16).map { .int(Int64($0)) } }
    if type == Int32.self { return (any as? Int32).map { .int(Int64($0)) } }
    if type == Float.self { return (any as? Float).map { .double(Double($0)) } }
    if type == Substring.self { return (any as? Substring).map { .text(String($0)) } }
    if type == [String: Any].self {
      return (any as? [String: Any]).map { .dictionary($0.mapValues { Value(any: $0) }) }
    }
    return nil
  }

  private static func foundation(_ any: Any) -> Value? {
    guard let object = any as? NSObject, Swift.type(of: any) is AnyClass else { return nil }
    switch object {
    case let object as any KeyedObject: return .object(object)
    case let carrier as any KeyCarrier: return carrier.carriedKey.map(Value.key)
    case is NSNull: return .null
    case let text as NSString: return .text(String(describing: text))
    case let number as NSDecimalNumber: return .decimal(number.decimalValue)
    case let number as NSNumber: return Self.number(number)
    case let date as NSDate: return .date(date.timeIntervalSinceReferenceDate)
    case let data as NSData: return .data(Data(referencing: data))
    case let uuid as NSUUID: return UUID(uuidString: uuid.uuidString).map(Value.uuid)
    case let url as NSURL: return URL(string: url.absoluteString).map(Value.url)
    case let array as NSArray:
      return .collection(ValueCollection(.array, array.map { Value(any: $0) }))
    case let set as NSOrderedSet:
      return .collection(ValueCollection(.orderedSet, set.array.map { Value(any: $0) }))
    case let set as NSSet:
      return .collection(ValueCollection(.set, set.allObjects.map { Value(any: $0) }))
    case let dictionary as NSDictionary: return Self.dictionary(dictionary)
    default: return nil
    }
  }

  private static let booleanClass: AnyClass = Swift.type(of: NSNumber(value: true))

  private static func number(_ number: NSNumber) -> Value {
    if Swift.type(of: number) == booleanClass { return .bool(number.boolValue) }
    switch number.objCType.pointee {
    case 0x66, 0x64: return .double(number.doubleValue)  // f, d
    case 0x51:  // Q
      return Int64(exactly: number.uint64Value).map(Value.int) ?? .decimal(number.decimalValue)
    default: return .int(number.int64Value)
    }
  }

  private static func dictionary(_ dictionary: NSDictionary) -> Value {
    var result: [String: Value] = [:]
    for (key, value) in dictionary {
      result[(key as? String) ?? String(describing: key)] = Value(any: value)
    }
    return .dictionary(result)
  }

  private static func composite(_ any: Any) -> Value? {
    switch any {
    case let optional as any OptionalValue: Value(any: optional.wrappedAny)
    case let value as Value: value
    case let object as any KeyedObject: .object(object)
    case let carrier as any KeyCarrier: carrier.carriedKey.map(Value.key)
    case let number as any BinaryInteger:
      Int64(exactly: number).map(Value.int) ?? Decimal(string: "\(number)").map(Value.decimal)
    case let number as any BinaryFloatingPoint: .double(Double(number))
    case let dictionary as [AnyHashable: Any]:
      .dictionary(
        Dictionary(
          dictionary.map { (($0.base as? String) ?? "\($0.base)", Value(any: $1)) },
          uniquingKeysWith: { first, _ in first }
        )
      )
    case let set as any SetValue: .collection(ValueCollection(.set, set.memberValues))
    case let array as [Any]:
      .collection(ValueCollection(.array, array.map { Value(any: $0) }))
    case let hashable as AnyHashable where !(hashable.base is AnyHashable):
      Swift.type(of: any) == AnyHashable.self ? Value(any: hashable.base) : nil
    default: nil
    }
  }

  /// The value in the form that Apple's API returns.
  ///
  /// For example, a number is an `NSNumber`, so that casts work as on Apple's systems, and null is nil. The
  /// exception is `.key`, for which this is the `ObjectKey`; the caller converts the key to an object or an
  /// object ID.
  package var any: Any? {
    switch self {
    case .null: nil
    case .bool(let flag): NSNumber(value: flag)
    case .int(let number): NSNumber(value: number)
    case .double(let number): NSNumber(value: number)
    case .decimal(let number): NSDecimalNumber(decimal: number)
    case .text(let text): text
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
    case .data(let data): data
    case .uuid(let uuid): uuid
    case .url(let url): url
    case .key(let key): key
    case .object(let box as any KeyedContent): box.keyedContent
    case .object(let object): object
    case .dictionary(let dictionary): dictionary.mapValues { $0.any ?? NSNull() }
    case .opaque(let any): any
    case .collection(let collection):
      switch collection.kind {
      case .array: collection.members.map { $0.any ?? NSNull() }
      case .set: NSSet(array: collection.members.map { $0.any ?? NSNull() })
      case .orderedSet: NSOrderedSet(array: collection.members.map { $0.any ?? NSNull() })
      }
    }
  }
}

private protocol OptionalValue {
  var wrappedAny: Any? { get }
}
extension Optional: OptionalValue {
  fileprivate var wrappedAny: Any? { self }
}

private protocol SetValue {
  var memberValues: [Value] { get }
}
extension Set: SetValue {
  fileprivate var memberValues: [Value] { map { Value(any: $0) } }
}
