// SPDX-License-Identifier: Apache-2.0

import Synchronization
import _CoreDataModel

/// The name of a key path.
package enum KeyPathName {
  /// A dotted name.
  case name(String)
  /// Why the path has no name, as the end of a sentence.
  case nameless(String)
}

/// A class that names its properties' key paths.
package protocol KeyPathNaming: AnyObject {
  /// Key path → property name, inherited ones included; generated classes have them all.
  static var _keyPathNames: [AnyKeyPath: String] { get }
  /// The name of a path from the class that no table has, found by following it.
  ///
  /// `isOneStep` says that the path is one property of the class.
  static func name(following path: AnyKeyPath, isOneStep: Bool) -> KeyPathName
}

/// The names behind Swift's key paths, which Linux does not keep.
package enum KeyPathNames {
  private static let registered = Mutex<[AnyKeyPathBox: String]>([:])

  /// Adds names for the key paths of types that have no table of their own.
  package static func register(_ names: [AnyKeyPath: String]) {
    registered.withLock { table in
      for (path, name) in names { table[AnyKeyPathBox(path: path)] = name }
    }
  }

  /// The dotted name of a key path, or nil where it has none.
  ///
  /// Paths of several steps are found step by step through the tables of their classes, optional
  /// chaining included: `\Player.team?.name` is `team.name`. Paths that no table has are followed, see
  /// `KeyPathNaming`.
  package static func name(of path: AnyKeyPath) -> String? {
    if case .name(let name) = search(path) { name } else { nil }
  }

  /// The dotted name of a key path, or why it has none.
  static func search(_ path: AnyKeyPath) -> KeyPathName {
    let box = AnyKeyPathBox(path: path)
    if let known = registered.withLock({ $0[box] }) { return .name(known) }
    let result = find(path).map(KeyPathName.name) ?? follow(path)
    if case .name(let name) = result { registered.withLock { $0[box] = name } }
    return result
  }

  private static func follow(_ path: AnyKeyPath) -> KeyPathName {
    guard let root = type(of: path).rootType as? any KeyPathNaming.Type else {
      return .nameless("its root is not a managed object class")
    }
    return root.name(following: path, isOneStep: KeyPathSteps.steps(of: path)?.count == 1)
  }

  /// The names of a type's own key paths; empty for types without a table.
  private static func table(of type: Any.Type) -> [AnyKeyPath: String] {
    let own = (type as? any KeyPathNaming.Type)?._keyPathNames
    let chosen = (type as? any KeyValueReadable.Type)?.keyPathNames
    var names = own ?? chosen ?? [:]
    registered.withLock { known in
      for (box, name) in known
      where Swift.type(of: box.path).rootType == type && !name.contains(".") {
        names[box.path] = name
      }
    }
    return names
  }

  private static func find(_ path: AnyKeyPath) -> String? {
    var type = Swift.type(of: path).rootType
    if let name = table(of: type)[path] { return name }
    guard let steps = KeyPathSteps.steps(of: path) else { return nil }
    var names: [String] = []
    for step in steps {
      let known = table(of: type).filter { KeyPathSteps.steps(of: $0.key) == [step] }
      // Two names for one getter, which a linker may have folded, are no name.
      guard let first = known.first, Set(known.values).count == 1 else { return nil }
      names.append(first.value)
      let next = Swift.type(of: first.key).valueType
      type = (next as? any OptionalMetatype.Type)?.wrappedType ?? next
    }
    return names.isEmpty ? nil : names.joined(separator: ".")
  }

  /// Why a key path is no key, in a sentence with the way out.
  static func sentence(_ path: AnyKeyPath, _ reason: String) -> String {
    let type = Swift.type(of: path)
    return "The key path \(path) from \(type.rootType) to \(type.valueType) is no key: \(reason). "
      + "Give the key as text instead, such as NSSortDescriptor(key: \"name\", ascending: true)."
  }

  /// The dotted name of a key path; one without a name stops the program.
  static func requiredName(of path: AnyKeyPath) -> String {
    switch search(path) {
    case .name(let name): return name
    case .nameless(let reason): Misuse.namelessKeyPath(path, reason)
    }
  }
}

/// The steps of a key path as its description shows them: the address of a getter, or a stored name.
///
/// Swift offers no other look into a key path; where the description has another form, nothing is
/// found, and the key path counts as nameless.
enum KeyPathSteps {
  /// The steps without the root and without `?` and `!`; nil where the description has another form.
  static func steps(of path: AnyKeyPath) -> [Substring]? {
    let text = "\(path)"[...]
    let root = "\\\(type(of: path).rootType)"
    guard text.hasPrefix(root) else { return nil }
    var rest = text.dropFirst(root.count)
    var steps: [Substring] = []
    while let next = rest.first {
      switch next {
      case "?", "!": rest = rest.dropFirst()
      case ".":
        rest = rest.dropFirst()
        guard let end = end(of: rest), end > rest.startIndex else { return nil }
        steps.append(rest[..<end])
        rest = rest[end...]
      default: return nil
      }
    }
    return steps
  }

  /// Where the first step of a text ends; a computed one is in angle brackets.
  private static func end(of text: Substring) -> Substring.Index? {
    guard text.first == "<" else {
      return text.firstIndex { ".?!<".contains($0) } ?? text.endIndex
    }
    var depth = 0
    for index in text.indices {
      switch text[index] {
      case "<", "(": depth += 1
      case ">" where index > text.startIndex && text[text.index(before: index)] == "-": break
      case ">", ")":
        depth -= 1
        if depth == 0 { return text.index(after: index) }
      default: break
      }
    }
    return nil
  }
}

/// An optional type whose wrapped type is not known.
protocol OptionalMetatype {
  static var wrappedType: Any.Type { get }
}
extension Optional: OptionalMetatype {
  static var wrappedType: Any.Type { Wrapped.self }
}

/// Key paths are immutable and safe to share, but not declared so.
private struct AnyKeyPathBox: Hashable, @unchecked Sendable {
  // Unchecked: key paths of properties capture nothing that changes.
  let path: AnyKeyPath
}

extension AnyKeyPath {
  /// The key path as Core Data writes it, such as `author.name`: what `#keyPath` gives on Apple's systems.
  ///
  /// Not in Apple's framework.
  ///
  /// Nil for a key path whose properties are not keys of a model, such as computed properties; see
  /// DEVIATIONS.md, “names of key paths”.
  /// - Complexity: O(1) for a generated class's property, and for a path that was asked for before.
  public var keyPathName: String? {
    if case .name(let name) = KeyPathNames.search(self) { return name }
    return nil
  }
}

/// An object that stands for another by its key, as an object ID does.
package protocol KeyCarrier: AnyObject {
  /// The key it stands for, nil where it stands for none.
  var carriedKey: ObjectKey? { get }
}
