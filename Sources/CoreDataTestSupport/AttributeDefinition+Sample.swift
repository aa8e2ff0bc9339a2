// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension AttributeDefinition {
  /// Returns a valid value of the attribute, derived from `number`; nil for undefined, object ID and
  /// composite attributes.
  package func sampleValue(_ number: Int) -> Any? {
    switch type {
    case .integer16, .integer32, .integer64: Int(bounded(Double(number)))
    case .double, .float: bounded(Double(number) + 0.5)
    case .decimal: NSDecimalNumber(value: bounded(Double(number) + 0.25))
    case .boolean: number % 2 == 0
    case .date: Date(timeIntervalSinceReferenceDate: bounded(Double(number) * 1000))
    case .string: text(number)
    case .binaryData: Data([1, 2, 3, UInt8(number % 256)])
    case .uuid: UUID(uuidString: "00000000-0000-4000-8000-" + Self.padded(number, 12))
    case .uri: URL(string: "https://example.org/\(number)")
    case .transformable: ["text \(number)"]
    case .undefined, .objectID, .composite: nil
    }
  }

  private func bounded(_ number: Double) -> Double {
    min(max(number, Self.number(minimum) ?? number), Self.number(maximum) ?? .infinity)
  }

  private static func number(_ bound: Value?) -> Double? {
    switch bound {
    case .int(let number): Double(number)
    case .double(let number), .date(let number): number
    case .decimal(let number): NSDecimalNumber(decimal: number).doubleValue
    default: nil
    }
  }

  private func text(_ number: Int) -> String {
    let least = Int(Self.number(minimum) ?? 0)
    let most = Int(Self.number(maximum) ?? 1000)
    let text = "new " + Self.padded(number, max(6, least - 4))
    return String(text.suffix(most))
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
