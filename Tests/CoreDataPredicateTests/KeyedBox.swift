// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// A value of any Swift type as an object with keys.
final class KeyedBox<Content>: KeyedObject, KeyedContent {
  let content: Content
  private let read: (Content, String) throws -> Value

  /// Creates a box; `read` returns the value of a key and throws `UnknownKey` for an unknown key.
  init(_ content: Content, read: @escaping (Content, String) throws -> Value) {
    self.content = content
    self.read = read
  }

  var objectKey: ObjectKey? { nil }
  func keyedValue(_ key: String) throws -> Value { try read(content, key) }
  var keyedContent: Any { content }
}
