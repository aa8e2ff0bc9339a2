// SPDX-License-Identifier: Apache-2.0

extension ModelReader {
  struct Location {
    var entity: String?
    var property: String?
    var template: String?

    func error(_ reason: String, at element: MarkupElement) -> ModelError {
      let start = template.map { "in the fetch request template “\($0)”, " } ?? ""
      return ModelError(
        line: element.line,
        entity: entity,
        property: property,
        reason: start + reason
      )
    }
  }

  static func required(
    _ name: String,
    of element: MarkupElement,
    in location: Location
  ) throws -> String {
    guard let text = element[name], !text.isEmpty else {
      throw location.error("<\(element.name)> has no \(name)", at: element)
    }
    return text
  }

  static func flag(
    _ name: String,
    of element: MarkupElement,
    in location: Location,
    absent: Bool = false
  ) throws -> Bool {
    switch element[name] {
    case nil: return absent
    case "YES"?: return true
    case "NO"?: return false
    case let text?: throw location.error("\(name) is “\(text)”, not YES or NO", at: element)
    }
  }

  static func count(
    _ name: String,
    of element: MarkupElement,
    in location: Location
  ) throws -> Int? {
    guard let text = element[name] else { return nil }
    guard let number = Int(text), number >= 0 else {
      throw location.error("\(name) is “\(text)”, not an integer of 0 or more", at: element)
    }
    return number
  }

  static func values(
    of element: MarkupElement,
    named name: String,
    in location: Location
  ) throws -> [String] {
    try element.children(named: name).map { try required("value", of: $0, in: location) }
  }
}
