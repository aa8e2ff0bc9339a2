// SPDX-License-Identifier: Apache-2.0

/// A function that changes a to-many relationship, such as `addToItems(_:)`.
///
/// Source: documented, “Core Data Programming Guide” (to-many accessors), and observed, classes of Xcode 7
/// to 15.
package struct CollectionAccessor: Hashable {
  package enum Operation: Hashable { case add, remove, insert, removeAt, replace }

  package let operation: Operation
  /// The name of the relationship.
  package let key: String

  /// Creates the accessor from a function's selector or, if `selector` is nil or has another form, from the
  /// function's name and labels.
  ///
  /// `selector` is the selector in `@objc(…)`. Returns nil if the function is not a to-many accessor.
  package init?(name: String, labels: [String?], selector: String?) {
    if let selector, let found = Self.find(selector: selector) {
      self = found
    } else if let found = Self.find(name: name, labels: labels) {
      self = found
    } else {
      return nil
    }
  }

  private init(_ operation: Operation, _ name: Substring) {
    self.operation = operation
    key = name.prefix(1).lowercased() + name.dropFirst()
  }

  private static func find(name: String, labels: [String?]) -> CollectionAccessor? {
    let isOne = labels.count == 1 && labels[0] == nil
    if isOne {
      if let key = name.between("addTo", "") { return Self(.add, key) }
      if let key = name.between("removeFrom", "") { return Self(.remove, key) }
      if let key = name.between("add", "Object") ?? name.between("add", "") {
        return Self(.add, key)
      }
      if let key = name.between("remove", "Object") ?? name.between("remove", "") {
        return Self(.remove, key)
      }
    }
    if labels == ["at"], let key = name.between("removeFrom", "") { return Self(.removeAt, key) }
    if labels == [nil, "at"], let key = name.between("insertInto", "") {
      return Self(.insert, key)
    }
    if labels == ["at", "with"], let key = name.between("replace", "") {
      return Self(.replace, key)
    }
    return nil
  }

  private static func find(selector: String) -> CollectionAccessor? {
    let parts = selector.split(separator: ":", omittingEmptySubsequences: true).map(String.init)
    guard let first = parts.first else { return nil }
    if parts.count == 2 {
      if first == "insertObject", let key = parts[1].between("in", "AtIndex") {
        return Self(.insert, key)
      }
      if parts[1] == "atIndexes", let key = first.between("insert", "") {
        return Self(.insert, key)
      }
      if let key = first.between("replaceObjectIn", "AtIndex") { return Self(.replace, key) }
      if let key = first.between("replace", "AtIndexes") { return Self(.replace, key) }
      return nil
    }
    if let key = first.between("removeObjectFrom", "AtIndex") { return Self(.removeAt, key) }
    if let key = first.between("remove", "AtIndexes") { return Self(.removeAt, key) }
    if let key = first.between("add", "Object") ?? first.between("add", "") {
      return Self(.add, key)
    }
    if let key = first.between("remove", "Object") ?? first.between("remove", "") {
      return Self(.remove, key)
    }
    return nil
  }
}

extension String {
  /// Returns the text between a prefix and a suffix; nil if the string does not have both, or if the text is
  /// empty or begins with a lowercase letter.
  fileprivate func between(_ prefix: String, _ suffix: String) -> Substring? {
    guard hasPrefix(prefix), hasSuffix(suffix), count > prefix.count + suffix.count else {
      return nil
    }
    let rest = dropFirst(prefix.count).dropLast(suffix.count)
    return rest.first?.isLowercase == true ? nil : rest
  }
}
