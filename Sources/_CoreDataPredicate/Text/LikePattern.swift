// SPDX-License-Identifier: Apache-2.0

/// The pattern of a `LIKE`: `?` matches one Unicode scalar of the folded text, and `*` matches any number of
/// scalars; the character after a backslash is literal.
struct LikePattern: Hashable, Sendable {
  enum Part: Hashable, Sendable {
    case bytes([UInt8])
    case one
    case any
  }
  /// The form of the pattern; the common forms, such as a prefix, can be matched faster than a general one.
  enum Shape: Hashable, Sendable {
    case equal([UInt8])
    case prefix([UInt8])
    case suffix([UInt8])
    case middle([UInt8])
    case general([Part])
  }
  let shape: Shape

  init(_ text: String, folding: TextFolding) {
    var parts: [Part] = []
    var literal = ""
    func close() {
      guard !literal.isEmpty else { return }
      parts.append(.bytes(folding.folded(literal)))
      literal = ""
    }
    var escaped = false
    for scalar in text.unicodeScalars {
      if escaped {
        literal.unicodeScalars.append(scalar)
        escaped = false
      } else if scalar == "\\" {
        escaped = true
      } else if scalar == "*" {
        close()
        if parts.last != .any { parts.append(.any) }
      } else if scalar == "?" {
        close()
        parts.append(.one)
      } else {
        literal.unicodeScalars.append(scalar)
      }
    }
    if escaped { literal.append("\\") }
    close()
    shape = Self.shape(of: parts)
  }

  private static func shape(of parts: [Part]) -> Shape {
    switch parts.count {
    case 0: return .equal([])
    case 1: if case .bytes(let bytes) = parts[0] { return .equal(bytes) }
    case 2:
      if case .bytes(let bytes) = parts[0], parts[1] == .any { return .prefix(bytes) }
      if case .bytes(let bytes) = parts[1], parts[0] == .any { return .suffix(bytes) }
    case 3:
      if case .bytes(let bytes) = parts[1], parts[0] == .any, parts[2] == .any {
        return .middle(bytes)
      }
    default: break
    }
    return .general(parts)
  }

  /// Whether folded text matches the parts.
  ///
  /// - Complexity: O(pattern × text) bytes in the worst case, because only the last `*` is retried.
  static func matches(_ parts: [Part], _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var part = 0
    var at = 0
    var retry: (part: Int, at: Int)?
    while true {
      if part == parts.count {
        if at == text.count { return true }
      } else {
        switch parts[part] {
        case .any:
          retry = (part + 1, at)
          part += 1
          continue
        case .one:
          if at < text.count {
            at = next(text, at)
            part += 1
            continue
          }
        case .bytes(let bytes):
          if starts(text, at, bytes) {
            at += bytes.count
            part += 1
            continue
          }
        }
      }
      guard let last = retry, last.at < text.count else { return false }
      at = next(text, last.at)
      part = last.part
      retry = (last.part, at)
    }
  }

  private static func next(_ text: UnsafeBufferPointer<UInt8>, _ at: Int) -> Int {
    var at = at + 1
    while at < text.count, text[at] & 0xC0 == 0x80 { at += 1 }
    return at
  }

  private static func starts(
    _ text: UnsafeBufferPointer<UInt8>,
    _ at: Int,
    _ bytes: [UInt8]
  ) -> Bool {
    guard bytes.count <= text.count - at else { return false }
    for index in bytes.indices where text[at + index] != bytes[index] { return false }
    return true
  }
}
