// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// The objects of one data set of the shared cases.
package struct SampleWorld {
  package private(set) var rows: [SampleObject] = []
  private var byID: [String: SampleObject] = [:]
  private var isDictionary = false
  private var source: [JSON] = []

  package init() {}

  package init(_ set: JSON) {
    isDictionary = set["kind"] == .text("dict")
    source = set["rows"]?.elements ?? []
    var pending: [(SampleObject, JSON)] = []
    var defaults: [String: Value] = [:]
    if case .object(let attributes)? = set["attributes"] {
      for (key, type) in attributes {
        let isMany = type.text?.hasPrefix("toMany") == true
        defaults[key] = isMany ? .collection(ValueCollection(.set, [])) : .null
      }
    }
    rows = make(source, set["entity"]?.text ?? "", defaults, &pending)
    if case .object(let others)? = set["others"] {
      for (entity, members) in others.sorted(by: { $0.key < $1.key }) {
        _ = make(members.elements, entity, [:], &pending)
      }
    }
    for (object, row) in pending {
      guard case .object(let members) = row else { continue }
      for (key, value) in members where key != "$id" { object.set(key, self.value(value)) }
    }
  }

  private mutating func make(
    _ rows: [JSON],
    _ entity: String,
    _ defaults: [String: Value],
    _ pending: inout [(SampleObject, JSON)]
  ) -> [SampleObject] {
    var keys = Set(defaults.keys)
    for case .object(let members) in rows { keys.formUnion(members.keys) }
    return rows.map { row in
      let object = SampleObject(row["$id"]?.text ?? "", entity: entity, keys: keys)
      for (key, value) in defaults { object.set(key, value) }
      byID[object.id] = object
      pending.append((object, row))
      return object
    }
  }

  /// The rows as they are evaluated.
  package var roots: [(id: JSON, value: Value)] {
    isDictionary
      ? source.map { (.text($0["$id"]?.text ?? ""), value($0)) }
      : rows.map { (.text($0.id), .object($0)) }
  }

  package func value(_ json: JSON) -> Value {
    switch json {
    case .null: .null
    case .bool(let flag): .bool(flag)
    case .int(let number): .int(number)
    case .double(let number): .double(number)
    case .text(let text): .text(text)
    case .array(let members): .collection(ValueCollection(.array, members.map(value)))
    case .object(let members): special(members) ?? .dictionary(members.mapValues(value))
    }
  }

  private func special(_ members: [String: JSON]) -> Value? {
    guard members.count == 1, let (key, content) = members.first else { return nil }
    switch (key, content) {
    case ("$null", _): return .null
    case ("$date", _):
      return value(content).number.map { .date($0 - Date.timeIntervalBetween1970AndReferenceDate) }
    case ("$data", .text(let digits)):
      let digits = Array(digits)
      let bytes = stride(from: 0, to: digits.count, by: 2).map {
        UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0
      }
      return .data(Data(bytes))
    case ("$uuid", .text(let text)): return UUID(uuidString: text).map(Value.uuid)
    case ("$dict", .object(let inner)): return .dictionary(inner.mapValues(value))
    case ("$set", .array(let inner)): return .collection(ValueCollection(.set, inner.map(value)))
    case ("$ref", .text(let id)): return byID[id].map { .object($0) } ?? .null
    case ("$refs", .array(let ids)): return references(ids, .set)
    case ("$list", .array(let ids)): return references(ids, .orderedSet)
    case ("$obj", .object(let inner)):
      let object = SampleObject("", entity: "Sample")
      for (key, content) in inner { object.set(key, value(content)) }
      return .object(object)
    default: return nil
    }
  }

  private func references(_ ids: [JSON], _ kind: ValueCollection.Kind) -> Value {
    let members = ids.compactMap { id in id.text.flatMap { byID[$0] } }
    return .collection(ValueCollection(kind, members.map { .object($0) }))
  }
}
