// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL

/// The SQL functions and aggregates that call the core's functions of values, so that SQL statements and the
/// evaluation in memory have the same results.
enum ValueFunctions {
  static func register(on handle: OpaquePointer) {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
    sqlite3_create_function_v2(handle, ValueCall.name, -1, flags, nil, call, nil, nil, nil)
    sqlite3_create_function_v2(handle, NumberBits.function, 2, flags, nil, hasNumber, nil, nil, nil)
    sqlite3_create_function_v2(handle, CompositeCall.name, -1, flags, nil, record, nil, nil, nil)
    for call in MemberCall.all {
      let kept = Unmanaged.passRetained(MemberCallBox(call)).toOpaque()
      sqlite3_create_function_v2(
        handle,
        call.name,
        1,
        flags,
        kept,
        nil,
        step,
        final,
        { kept in if let kept { Unmanaged<MemberCallBox>.fromOpaque(kept).release() } }
      )
    }
  }

  private static let call:
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
      context,
      count,
      arguments in
      guard let arguments, count > 1, let first = arguments[0],
        let call = ValueCall(code: sqlite3_value_int64(first), arguments: Int(count) - 1)
      else { return sqlite3_result_null(context) }
      var values: [Value] = []
      for (index, kind) in call.kinds.enumerated() {
        guard let argument = arguments[index + 1] else { return sqlite3_result_null(context) }
        values.append(value(argument, kind))
      }
      // If the evaluation in memory throws an error for these values, the SQL function returns NULL.
      guard let result = try? call.function.value(values) else {
        return sqlite3_result_null(context)
      }
      setResult(context, result)
    }

  private static let hasNumber:
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
      context,
      _,
      arguments in
      guard let arguments, let bits = arguments[0], let number = arguments[1] else {
        return sqlite3_result_null(context)
      }
      let isOne = NumberBits.contain(sqlite3_value_int64(number), in: bytes(bits))
      sqlite3_result_int(context, isOne ? 1 : 0)
    }

  /// An SQL function that encodes the columns of a composite as one record; NULL if all columns are NULL.
  private static let record:
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
      context,
      count,
      arguments in
      guard let arguments, count > 1, let first = arguments[0] else {
        return sqlite3_result_null(context)
      }
      let values = zip(CompositeCall.kinds(text(first)), 1..<Int(count)).map { kind, index in
        arguments[index].map { stored($0, kind) } ?? .null
      }
      let data = CompositeRecord.data(values)
      if data.isEmpty { return sqlite3_result_null(context) }
      data.withUnsafeBytes {
        sqlite3_result_blob64(
          context,
          $0.baseAddress,
          UInt64($0.count),
          PreparedStatement.transient
        )
      }
    }

  /// Returns the value of an argument that is in the stored form of `kind`.
  private static func stored(_ argument: OpaquePointer, _ kind: SlotKind) -> Value {
    if sqlite3_value_type(argument) == SQLITE_NULL { return .null }
    switch kind {
    case .integer: return .int(sqlite3_value_int64(argument))
    case .boolean: return .bool(sqlite3_value_int64(argument) != 0)
    case .double: return .double(sqlite3_value_double(argument))
    case .date: return .date(sqlite3_value_double(argument))
    case .decimal: return RowReader.decimal(argument).map(Value.decimal) ?? .null
    case .text: return .text(text(argument))
    case .url: return URL(string: text(argument)).map(Value.url) ?? .null
    case .uuid: return uuid(argument).map(Value.uuid) ?? .null
    case .data, .opaque: return .data(Data(bytes(argument)))
    case .reference, .none: return .null
    }
  }

  fileprivate static func value(_ argument: OpaquePointer, _ kind: ValueCall.Kind) -> Value {
    switch (sqlite3_value_type(argument), kind) {
    case (SQLITE_NULL, _): .null
    case (SQLITE_INTEGER, .boolean): .bool(sqlite3_value_int64(argument) != 0)
    case (_, .date): .date(sqlite3_value_double(argument))
    case (_, .real): .double(sqlite3_value_double(argument))
    case (SQLITE_INTEGER, _): .int(sqlite3_value_int64(argument))
    case (SQLITE_FLOAT, _): .double(sqlite3_value_double(argument))
    case (SQLITE_BLOB, .uuid): uuid(argument).map(Value.uuid) ?? .null
    case (SQLITE_BLOB, _): .data(Data(bytes(argument)))
    case (_, .url): URL(string: text(argument)).map(Value.url) ?? .null
    default: .text(text(argument))
    }
  }

  private static func bytes(_ argument: OpaquePointer) -> UnsafeRawBufferPointer {
    let start = sqlite3_value_blob(argument)
    return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(argument)))
  }

  private static func text(_ argument: OpaquePointer) -> String {
    let start = sqlite3_value_text(argument)
    let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(argument)))
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func uuid(_ argument: OpaquePointer) -> UUID? {
    let bytes = bytes(argument)
    guard bytes.count == 16 else { return nil }
    var uuid = UUID().uuid
    withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
    return UUID(uuid: uuid)
  }

  fileprivate static func setResult(_ context: OpaquePointer?, _ value: Value) {
    switch value {
    case .bool(let flag): sqlite3_result_int64(context, flag ? 1 : 0)
    case .int(let number): sqlite3_result_int64(context, number)
    case .double(let number), .date(let number): sqlite3_result_double(context, number)
    case .decimal(let number) where number.isNaN: setResult(context, .text("NaN"))
    case .decimal(let number): sqlite3_result_double(context, number.nearestDouble)
    case .text(var text):
      text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) {
          sqlite3_result_text(context, $0.baseAddress, Int32($0.count), PreparedStatement.transient)
        }
      }
    default: sqlite3_result_null(context)
    }
  }

  // MARK: Aggregates

  private static let step:
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
      context,
      _,
      arguments in
      guard let argument = arguments?[0], let kept = sqlite3_user_data(context),
        let place = sqlite3_aggregate_context(context, 8)
        // `sqlite3_aggregate_context` returns nil if memory runs out. The call fails then, because the sum of
        // fewer rows would be wrong.
      else { return sqlite3_result_error_nomem(context) }
      let call = Unmanaged<MemberCallBox>.fromOpaque(kept).takeUnretainedValue().call
      // The engine sets the eight bytes to zero before the first row of a group.
      let slot = place.assumingMemoryBound(to: UnsafeRawPointer?.self)
      let collected: GroupValues
      if let known = slot.pointee {
        collected = Unmanaged<GroupValues>.fromOpaque(known).takeUnretainedValue()
      } else {
        collected = GroupValues()
        slot.pointee = UnsafeRawPointer(Unmanaged.passRetained(collected).toOpaque())
      }
      collected.values.append(
        call.isDecimal ? stored(argument, .decimal) : value(argument, .number)
      )
    }

  private static let final: @convention(c) (OpaquePointer?) -> Void = { context in
    guard let kept = sqlite3_user_data(context) else { return sqlite3_result_null(context) }
    let call = Unmanaged<MemberCallBox>.fromOpaque(kept).takeUnretainedValue().call
    var values: [Value] = []
    if let place = sqlite3_aggregate_context(context, 0),
      let known = place.assumingMemoryBound(to: UnsafeRawPointer?.self).pointee
    {
      values = Unmanaged<GroupValues>.fromOpaque(known).takeRetainedValue().values
    }
    let list = Value.collection(ValueCollection(.array, values))
    do {
      setResult(context, try call.function.value(of: list))
    } catch {
      sqlite3_result_error(context, "\(error)", -1)
    }
  }
}

private final class GroupValues {
  var values: [Value] = []
}

private final class MemberCallBox: Sendable {
  let call: MemberCall
  init(_ call: MemberCall) { self.call = call }
}
