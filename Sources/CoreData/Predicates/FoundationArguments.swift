// SPDX-License-Identifier: Apache-2.0

// What may stand for a `%@`. Arguments are read as values, never from a `va_list`, so the encodings
// are empty. These types have them on Apple's systems through bridging, which Linux has not, and
// without them `NSPredicate(format:)` would not take the arguments that it takes there.
// swift-format-ignore-file: AvoidRetroactiveConformances

import Foundation

extension Date: @retroactive CVarArg {
  /// Empty: arguments are read as values.
  public var _cVarArgEncoding: [Int] { [] }
}
extension UUID: @retroactive CVarArg {
  /// Empty: arguments are read as values.
  public var _cVarArgEncoding: [Int] { [] }
}
extension URL: @retroactive CVarArg {
  /// Empty: arguments are read as values.
  public var _cVarArgEncoding: [Int] { [] }
}
extension Data: @retroactive CVarArg {
  /// Empty: arguments are read as values.
  public var _cVarArgEncoding: [Int] { [] }
}
extension Decimal: @retroactive CVarArg {
  /// Empty: arguments are read as values.
  public var _cVarArgEncoding: [Int] { [] }
}
extension Substring: @retroactive CVarArg {
  /// Empty: arguments are read as values.
  public var _cVarArgEncoding: [Int] { [] }
}
extension Array: @retroactive CVarArg {
  /// Empty: arguments are read as values.
  public var _cVarArgEncoding: [Int] { [] }
}
extension Set: @retroactive CVarArg {
  /// Empty: arguments are read as values.
  public var _cVarArgEncoding: [Int] { [] }
}
extension Dictionary: @retroactive CVarArg {
  /// Empty: arguments are read as values.
  public var _cVarArgEncoding: [Int] { [] }
}
extension NSObject: @retroactive CVarArg {
  /// Empty: arguments are read as values.
  public var _cVarArgEncoding: [Int] { [] }
}
