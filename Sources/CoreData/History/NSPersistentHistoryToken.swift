// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A position in the histories of one or more stores.
///
/// Archive a token to continue from this position after the next launch.
///
/// Source: documented, “NSPersistentHistoryToken”; the content is observed in the metadata of a store.
open class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  // Unchecked because the class is open; the only stored property is a constant.
  /// The number of the last transaction before the position, by store UUID; 0 before the first transaction.
  let numbers: [String: Int64]

  init(_ numbers: [String: Int64]) {
    self.numbers = numbers
    super.init()
  }

  /// Returns the token itself, because tokens are immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override func isEqual(_ object: Any?) -> Bool {
    (object as? NSPersistentHistoryToken)?.numbers == numbers
  }
  open override var hash: Int { numbers.hashValue }
  /// The stores' UUIDs and transaction numbers.
  open override var description: String {
    let places = numbers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    return "<NSPersistentHistoryToken> \(places.joined(separator: ", "))"
  }

  // MARK: Coding

  /// True: tokens can be decoded with `requiresSecureCoding`.
  open class var supportsSecureCoding: Bool { true }

  private static let codingKey = "NSPersistentHistoryTokenDictionary"

  /// Decodes a token; returns nil if the archive contains no token, or a malformed one.
  public required init?(coder: NSCoder) {
    let classes = [NSDictionary.self, NSString.self, NSNumber.self]
    guard
      let decoded = coder.decodeObject(of: classes, forKey: Self.codingKey) as? NSDictionary
    else { return nil }
    var numbers: [String: Int64] = [:]
    for (uuid, number) in decoded {
      guard let uuid = uuid as? String, let number = number as? NSNumber else { return nil }
      numbers[uuid] = number.int64Value
    }
    self.numbers = numbers
    super.init()
  }

  /// Encodes the stores' UUIDs and transaction numbers.
  open func encode(with coder: NSCoder) {
    let dictionary = NSMutableDictionary()
    for (uuid, number) in numbers {
      dictionary.setObject(NSNumber(value: number), forKey: NSString(string: uuid))
    }
    coder.encode(dictionary, forKey: Self.codingKey)
  }
}

extension Notification {
  var historyToken: NSPersistentHistoryToken? {
    userInfo?[NSPersistentHistoryTokenKey] as? NSPersistentHistoryToken
  }
}
