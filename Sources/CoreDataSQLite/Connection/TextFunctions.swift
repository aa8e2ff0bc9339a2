// SPDX-License-Identifier: Apache-2.0

import CSQLite
import CoreDataPredicate
import CoreDataSQL
import Foundation

/// The functions and collations that a store's statements and Apple's triggers call.
enum TextFunctions {
  /// A needle kept by the engine for as long as a statement runs with the same right side.
  private final class Needle {
    let needle: TextNeedle
    init(_ needle: TextNeedle) { self.needle = needle }
  }

  static func register(on handle: OpaquePointer) {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
    sqlite3_create_function_v2(handle, TextCall.name, 3, flags, nil, compare, nil, nil, nil)
    // Triggers of derived attributes call these to tell the context; their results are not used.
    for name in [
      "NSCoreDataDATriggerUpdatedAffectedObjectValue",
      "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
    ] {
      sqlite3_create_function_v2(
        handle,
        name,
        -1,
        SQLITE_UTF8,
        nil,
        { context, _, _ in sqlite3_result_null(context) },
        nil,
        nil,
        nil
      )
    }
    for collation in Collation.allCases { register(collation, on: handle) }
  }

  private static let compare:
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
      context,
      _,
      arguments in
      guard let arguments, let left = arguments[0], let right = arguments[1],
        sqlite3_value_type(left) != SQLITE_NULL, sqlite3_value_type(right) != SQLITE_NULL
      else { return sqlite3_result_null(context) }
      let needle: Needle
      if let kept = sqlite3_get_auxdata(context, 1) {
        needle = Unmanaged<Needle>.fromOpaque(kept).takeUnretainedValue()
      } else {
        let code = sqlite3_value_int64(arguments[2])
        guard let call = TextCall(code: code), let text = sqlite3_value_text(right) else {
          return sqlite3_result_null(context)
        }
        let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(right)))
        needle = Needle(
          TextNeedle(
            String(decoding: bytes, as: UTF8.self),
            relation: call.relation,
            options: call.options
          )
        )
        sqlite3_set_auxdata(context, 1, Unmanaged.passRetained(needle).toOpaque()) {
          if let kept = $0 { Unmanaged<Needle>.fromOpaque(kept).release() }
        }
      }
      if let invalid = needle.needle.invalidPattern {
        return sqlite3_result_error(context, "Can't do regex matching, bad pattern: \(invalid)", -1)
      }
      let bytes = sqlite3_value_text(left)
      let text = UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(left)))
      sqlite3_result_int(context, needle.needle.matches(text) ? 1 : 0)
    }

  private static func register(_ collation: Collation, on handle: OpaquePointer) {
    let order = order(of: collation)
    let kept = Unmanaged.passRetained(Order(order)).toOpaque()
    sqlite3_create_collation_v2(
      handle,
      collation.rawValue,
      SQLITE_UTF8,
      kept,
      compareTexts,
      { kept in if let kept { Unmanaged<Order>.fromOpaque(kept).release() } }
    )
  }

  private static func order(of collation: Collation) -> SortKey.Comparison {
    switch collation {
    case .caseInsensitive: .caseInsensitive
    case .localized: .localized
    case .localizedCaseInsensitive: .localizedCaseInsensitive
    case .localizedStandard: .localizedStandard
    }
  }
}

/// An order of texts, kept by the engine for a collation.
private final class Order: Sendable {
  let comparison: SortKey.Comparison
  init(_ comparison: SortKey.Comparison) { self.comparison = comparison }
}

private func compareTexts(
  _ kept: UnsafeMutableRawPointer?,
  _ count: Int32,
  _ left: UnsafeRawPointer?,
  _ otherCount: Int32,
  _ right: UnsafeRawPointer?
) -> Int32 {
  guard let kept else { return 0 }
  let order = Unmanaged<Order>.fromOpaque(kept).takeUnretainedValue()
  let one = UnsafeRawBufferPointer(start: left, count: Int(count))
  let other = UnsafeRawBufferPointer(start: right, count: Int(otherCount))
  return Int32(
    order.comparison.order(
      .text(String(decoding: one, as: UTF8.self)),
      .text(String(decoding: other, as: UTF8.self))
    )
  )
}
