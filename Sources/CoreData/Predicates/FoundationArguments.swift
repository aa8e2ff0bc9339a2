// SPDX-License-Identifier: Apache-2.0

// Arguments of `NSPredicate(format:_:)` must conform to `CVarArg`. On Linux, these types conform only through
// these extensions.
// swift-format-ignore-file: AvoidRetroactiveConformances

import Foundation

extension Date: @retroactive CVarArg {
  /// An empty array, because format arguments are read as values and never from a `va_list`.
  public var _cVarArgEncoding: [Int] { [] }
}
extension UUID: @retroactive CVarArg {
  /// An empty array, because format arguments are read as values and never from a `va_list`.
  public var _cVarArgEncoding: [Int] { [] }
}
extension URL: @retroactive CVarArg {
  /// An empty array, because format arguments are read as values and never from a `va_list`.
  public var _cVarArgEncoding: [Int] { [] }
}
extension Data: @retroactive CVarArg {
  /// An empty array, because format arguments are read as values and never from a `va_list`.
  public var _cVarArgEncoding: [Int] { [] }
}
extension Decimal: @retroactive CVarArg {
  /// An empty array, because format arguments are read as values and never from a `va_list`.
  public var _cVarArgEncoding: [Int] { [] }
}
extension Substring: @retroactive CVarArg {
  /// An empty array, because format arguments are read as values and never from a `va_list`.
  public var _cVarArgEncoding: [Int] { [] }
}
extension Array: @retroactive CVarArg {
  /// An empty array, because format arguments are read as values and never from a `va_list`.
  public var _cVarArgEncoding: [Int] { [] }
}
extension Set: @retroactive CVarArg {
  /// An empty array, because format arguments are read as values and never from a `va_list`.
  public var _cVarArgEncoding: [Int] { [] }
}
extension Dictionary: @retroactive CVarArg {
  /// An empty array, because format arguments are read as values and never from a `va_list`.
  public var _cVarArgEncoding: [Int] { [] }
}
extension NSObject: @retroactive CVarArg {
  /// An empty array, because format arguments are read as values and never from a `va_list`.
  public var _cVarArgEncoding: [Int] { [] }
}
