// SPDX-License-Identifier: Apache-2.0

import Foundation

extension KeyedArchive {
  /// Returns the value that a field holds or refers to: a scalar or an archived Foundation object.
  ///
  /// Returns `.null` if the field is missing, refers to `NSNull`, or is a reference that is null or out of
  /// range. Returns nil if the class of the value has no case in `Value`, or if the value cannot be read, is
  /// nested too deeply or contains too many values.
  package func value(_ field: PropertyListNode?) -> Value? {
    var budget = 1_000_000
    return value(field, depth: 0, &budget)
  }

  private func value(_ field: PropertyListNode?, depth: Int, _ budget: inout Int) -> Value? {
    budget -= 1
    guard depth < 64, budget > 0 else { return nil }
    guard let object = self[field] else { return .null }
    switch object {
    case .bool(let flag): return .bool(flag)
    case .integer(let number): return .int(number)
    case .real(let number): return .double(number)
    case .date(let seconds): return .date(seconds)
    case .text(let text): return .text(text)
    case .data(let data): return .data(data)
    case .reference, .array: return nil
    case .dictionary(let fields):
      switch className(object) {
      case "NSArray", "NSMutableArray": return collection(.array, fields, depth: depth, &budget)
      case "NSSet", "NSMutableSet": return collection(.set, fields, depth: depth, &budget)
      case "NSOrderedSet", "NSMutableOrderedSet":
        return collection(.orderedSet, fields, depth: depth, &budget)
      case "NSDictionary", "NSMutableDictionary": return dictionary(object, depth, &budget)
      case let name: return scalar(name, object)
      }
    }
  }

  private func scalar(_ className: String?, _ object: PropertyListNode) -> Value? {
    switch className {
    case "NSNull": return .null
    case "NSDate": return object["NS.time"]?.real.map(Value.date)
    case "NSString", "NSMutableString": return self[object["NS.string"]]?.text.map(Value.text)
    case "NSData", "NSMutableData":
      guard case .data(let data)? = self[object["NS.data"]] else { return nil }
      return .data(data)
    case "NSURL":
      let base = self[object["NS.base"]].flatMap { self[$0["NS.relative"]]?.text }
      guard let text = self[object["NS.relative"]]?.text else { return nil }
      let url = URL(string: text, relativeTo: base.flatMap { URL(string: $0) })
      return url.map { .url($0.absoluteURL) }
    case "NSUUID":
      guard case .data(let bytes)? = object["NS.uuidbytes"], bytes.count == 16 else { return nil }
      return .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    case "NSDecimalNumberPlaceholder", "NSDecimalNumber": return decimal(object)
    default: return nil
    }
  }

  private func collection(
    _ kind: ValueCollection.Kind,
    _ fields: [String: PropertyListNode],
    depth: Int,
    _ budget: inout Int
  ) -> Value? {
    var members: [Value] = []
    for field in fields["NS.objects"]?.array ?? [] {
      guard let member = value(field, depth: depth + 1, &budget) else { return nil }
      members.append(member)
    }
    return .collection(ValueCollection(kind, members))
  }

  private func dictionary(
    _ object: PropertyListNode,
    _ depth: Int,
    _ budget: inout Int
  ) -> Value? {
    var members: [String: Value] = [:]
    let keys = object["NS.keys"]?.array ?? []
    for (key, field) in zip(keys, object["NS.objects"]?.array ?? []) {
      guard let key = self[key]?.text, let member = value(field, depth: depth + 1, &budget) else {
        return nil
      }
      members[key] = member
    }
    return .dictionary(members)
  }

  /// The mantissa is eight 16-bit units, least significant first; `NS.mantissa.bo` is the byte order within
  /// each unit.
  private func decimal(_ object: PropertyListNode) -> Value? {
    guard case .data(let mantissa)? = object["NS.mantissa"], mantissa.count == 16,
      let exponent = object["NS.exponent"]?.integer, (-128...127).contains(exponent)
    else { return nil }
    let bytes = [UInt8](mantissa)
    let isBigEndian = object["NS.mantissa.bo"]?.integer == 2
    var number = Decimal(0)
    for unit in stride(from: 14, through: 0, by: -2) {
      let low = isBigEndian ? bytes[unit + 1] : bytes[unit]
      let high = isBigEndian ? bytes[unit] : bytes[unit + 1]
      number = number * 65536 + Decimal(Int(high) << 8 | Int(low))
    }
    let sign: FloatingPointSign = object["NS.negative"]?.bool == true ? .minus : .plus
    return .decimal(Decimal(sign: sign, exponent: Int(exponent), significand: number))
  }
}
