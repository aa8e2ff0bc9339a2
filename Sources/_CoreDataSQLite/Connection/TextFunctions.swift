// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import _CoreDataPredicate
import _CoreDataSQL

/// The functions and collations that statements of a store and Apple's triggers call.
enum TextFunctions {
  /// The prepared right side of a text comparison; if the right side is constant, the engine keeps this
  /// object for all rows of a statement.
  private final class Needle {
    let needle: TextNeedle
    let isInvalid: Bool
    init(_ needle: TextNeedle) {
      self.needle = needle
      isInvalid = needle.invalidPattern != nil
    }
  }

  static func register(on handle: OpaquePointer) {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
    sqlite3_create_function_v2(handle, TextCall.name, 3, flags, nil, compare, nil, nil, nil)
    // Triggers of derived attributes call these functions. `DerivedValues` handles calls with five arguments;
    // a call with any other number of arguments does nothing.
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
    ValueFunctions.register(on: handle)
    for collation in Collation.allCases { register(collation, on: handle) }
  }

  private static let compare:
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
      context,
      _,
      arguments in
      guard let arguments, let left = arguments[0], let right = arguments[1] else {
        return sqlite3_result_null(context)
      }
      // The engine converts values of other types to text, and returns a null pointer only for NULL.
      guard let start = sqlite3_value_text(left) else { return sqlite3_result_null(context) }
      let text = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(left)))
      guard let kept = sqlite3_get_auxdata(context, 1) else {
        guard let needle = makeNeedle(right, arguments[2]) else {
          return sqlite3_result_null(context)
        }
        setResult(context, needle, text)
        return sqlite3_set_auxdata(context, 1, Unmanaged.passRetained(needle).toOpaque()) {
          if let kept = $0 { Unmanaged<Needle>.fromOpaque(kept).release() }
        }
      }
      // The engine keeps the needle while this call runs.
      Unmanaged<Needle>.fromOpaque(kept)._withUnsafeGuaranteedRef { setResult(context, $0, text) }
    }

  private static func makeNeedle(_ right: OpaquePointer, _ code: OpaquePointer?) -> Needle? {
    guard let call = TextCall(code: sqlite3_value_int64(code)),
      let text = sqlite3_value_text(right)
    else { return nil }
    let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(right)))
    return Needle(
      TextNeedle(
        String(decoding: bytes, as: UTF8.self),
        relation: call.relation,
        options: call.options
      )
    )
  }

  @inline(__always)
  private static func setResult(
    _ context: OpaquePointer?,
    _ needle: Needle,
    _ text: UnsafeBufferPointer<UInt8>
  ) {
    // A row may contain an invalid pattern. Conditions with an invalid constant pattern are not compiled to
    // SQL.
    if needle.isInvalid { return sqlite3_result_null(context) }
    do {
      sqlite3_result_int(context, try needle.needle.matches(text) ? 1 : 0)
    } catch {
      sqlite3_result_error(context, "\(error)", -1)
      sqlite3_result_error_code(context, TextCall.failure)
    }
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

/// The comparison of a collation, which SQLite retains and passes to `compareTexts`.
private final class Order: Sendable {
  let comparison: SortKey.Comparison
  init(_ comparison: SortKey.Comparison) { self.comparison = comparison }
}

private func compareTexts(
  _ kept: UnsafeMutableRawPointer?,
  count: Int32,
  left: UnsafeRawPointer?,
  otherCount: Int32,
  right: UnsafeRawPointer?
) -> Int32 {
  guard let kept else { return 0 }
  let order = Unmanaged<Order>.fromOpaque(kept).takeUnretainedValue()
  let one = UnsafeRawBufferPointer(start: left, count: Int(count))
  let other = UnsafeRawBufferPointer(start: right, count: Int(otherCount))
  return Int32(
    order.comparison.order(
      one.bindMemory(to: UInt8.self),
      other.bindMemory(to: UInt8.self)
    ).signum()
  )
}
