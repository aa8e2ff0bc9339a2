// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Converts composite values in imported files to composite records, the form in which rows contain them.
struct CompositeReader {
  private let elements: [CompositeElement]
  private let ignoresUnknown: Bool

  init(_ elements: [CompositeElement], ignoresUnknown: Bool = false) {
    self.elements = elements
    self.ignoresUnknown = ignoresUnknown
  }

  /// Converts a dictionary of elements to a composite record in `.data`; returns null if all elements are
  /// null.
  ///
  /// An element that the dictionary lacks is null. `name` is the attribute's name in error texts.
  /// - Throws: `ToolError` if the value is not a dictionary, if an element has the wrong type, or if an
  ///   element is unknown and `ignoresUnknown` is false.
  func record(_ value: Value, _ name: String) throws -> Value {
    if value.isNull { return .null }
    var values: [Value] = []
    for element in elements {
      values.append(try self.value(at: element, value, name))
    }
    if !ignoresUnknown { try checkNames(value, elements.map { $0.path[...] }, name) }
    let record = CompositeRecord.data(values)
    return record.isEmpty ? .null : .data(record)
  }

  private func value(
    at element: CompositeElement,
    _ value: Value,
    _ name: String
  ) throws -> Value {
    var value = value
    var place = name
    for step in element.path {
      if value.isNull { return .null }
      guard case .dictionary(let members) = value else { throw Self.noDictionary(value, place) }
      value = members[step] ?? .null
      place += "." + step
    }
    if let read = TransferValue.read(value, as: element.attribute.type) { return read }
    throw TransferValue.mismatch(value, element.attribute.type, at: place)
  }

  private static func noDictionary(_ value: Value, _ place: String) -> ToolError {
    ToolError(
      "\(place): a composite attribute needs a JSON object, not \(TransferValue.shown(value))",
      hint: "Write an object with the elements, or a field “attribute.element” for each element."
    )
  }

  private func checkNames(
    _ value: Value,
    _ paths: [ArraySlice<String>],
    _ name: String
  ) throws {
    if value.isNull { return }
    guard case .dictionary(let members) = value else { throw Self.noDictionary(value, name) }
    for (member, inner) in members.sorted(by: { utf8Less($0.key, $1.key) }) {
      let inside = paths.filter { $0.first == member }
      if inside.isEmpty {
        throw ToolError(
          "\(name) has no element “\(member)”",
          hint: Suggestion.text(for: member, among: Array(Set(paths.compactMap(\.first))))
            + " (--ignore-unknown skips “\(member)”)"
        )
      }
      if inside[0].count > 1 {
        try checkNames(inner, inside.map { $0.dropFirst() }, "\(name).\(member)")
      }
    }
  }

  /// Returns a nested dictionary with each value at its path; nil if a path equals another path or is its
  /// prefix.
  static func dictionary(_ parts: [(path: [String], value: Value)]) -> Value? {
    var members: [String: Value] = [:]
    for (name, group) in Dictionary(grouping: parts, by: { $0.path.first ?? "" }) {
      if group.count == 1, group[0].path.count == 1 {
        members[name] = group[0].value
        continue
      }
      if group.contains(where: { $0.path.count < 2 }) { return nil }
      guard let inner = dictionary(group.map { (Array($0.path.dropFirst()), $0.value) }) else {
        return nil
      }
      members[name] = inner
    }
    return .dictionary(members)
  }
}

extension PropertyDefinition {
  /// Returns a composite attribute's record as a dictionary; returns any other value of a row unchanged.
  func read(_ value: Value) -> Value {
    guard let attribute, attribute.type == .composite, case .data(let record) = value else {
      return value
    }
    return CompositeRecord.dictionary(record, attribute.elements)
  }
}
