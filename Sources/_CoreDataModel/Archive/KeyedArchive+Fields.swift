// SPDX-License-Identifier: Apache-2.0

extension KeyedArchive {
  /// The string, mutable or immutable, that a field holds or refers to; nil if there is no string.
  package func text(_ field: PropertyListNode?) -> String? {
    guard let object = self[field] else { return nil }
    if let text = object.text { return text }
    switch className(object) {
    case "NSString", "NSMutableString": return self[object["NS.string"]]?.text
    default: return nil
    }
  }

  /// Whether a field holds, or refers to, true or a nonzero integer; false for a missing field and for other
  /// values.
  package func flag(_ field: PropertyListNode?) -> Bool {
    let object = self[field]
    return object?.bool ?? ((object?.integer ?? 0) != 0)
  }

  /// The integer that a field holds or refers to, with true as 1 and false as 0; nil for a missing field and
  /// for other values.
  package func integer(_ field: PropertyListNode?) -> Int64? {
    let object = self[field]
    return object?.integer ?? object?.bool.map { $0 ? 1 : 0 }
  }

  /// The keys and values of an archived dictionary, which may be the framework's `NSKnownKeysDictionary1`.
  ///
  /// References among the values are not resolved, so that references to one object stay equal. Entries whose
  /// keys are not strings are left out; the result is empty if the field is not a dictionary.
  package func entries(_ field: PropertyListNode?) -> [(key: String, value: PropertyListNode)] {
    guard let object = self[field] else { return [] }
    let keys: [PropertyListNode]
    let values: [PropertyListNode]
    if let mapping = self[object["searchMapping"]] {
      keys = self[mapping["keys"]]?["NS.objects"]?.array ?? []
      values = self[object["values"]]?["NS.objects"]?.array ?? []
    } else {
      keys = object["NS.keys"]?.array ?? []
      values = object["NS.objects"]?.array ?? []
    }
    var entries: [(key: String, value: PropertyListNode)] = []
    for (key, value) in zip(keys, values) {
      if let key = text(key) { entries.append((key, value)) }
    }
    return entries
  }
}
