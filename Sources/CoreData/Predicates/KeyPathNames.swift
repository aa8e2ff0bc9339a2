// SPDX-License-Identifier: Apache-2.0

import Synchronization
import _CoreDataModel

/// The result of looking up the name of a key path.
package enum KeyPathName {
  /// The name, such as `author.name`.
  case name(String)
  /// The path has no name; the text is the reason, as the last clause of a sentence.
  case nameless(String)
}

/// A class that provides the names of its properties' key paths.
package protocol KeyPathNaming: AnyObject {
  /// The names of properties, including inherited ones, by key path; may be incomplete or empty.
  static var _keyPathNames: [AnyKeyPath: String] { get }
  /// Finds the name of a path that is not in a table of known names, or the reason why the path has no name.
  ///
  /// May evaluate the path with example objects.
  ///
  /// `isOneStep` is true if the description of the path shows exactly one step.
  static func name(following path: AnyKeyPath, isOneStep: Bool) -> KeyPathName
}

/// Finds the names of Swift key paths, because on Linux a Swift key path does not contain its name.
package enum KeyPathNames {
  private static let registered = Mutex<[AnyKeyPathBox: String]>([:])

  /// Adds names of key paths; these names have precedence over those that a search would find.
  package static func register(_ names: [AnyKeyPath: String]) {
    registered.withLock { table in
      for (path, name) in names { table[AnyKeyPathBox(path: path)] = name }
    }
  }

  /// Returns the dotted name of a key path, or nil if the key path has no name.
  ///
  /// Optional chaining does not show in the name: `\Player.team?.name` has the name `team.name`. The search
  /// may evaluate a path from a managed object class; see `KeyPathNaming`.
  package static func name(of path: AnyKeyPath) -> String? {
    if case .name(let name) = search(path) { name } else { nil }
  }

  static func search(_ path: AnyKeyPath) -> KeyPathName {
    let box = AnyKeyPathBox(path: path)
    if let known = registered.withLock({ $0[box] }) { return .name(known) }
    let result = find(path).map(KeyPathName.name) ?? follow(path)
    if case .name(let name) = result { registered.withLock { $0[box] = name } }
    return result
  }

  private static func follow(_ path: AnyKeyPath) -> KeyPathName {
    let root = type(of: path).rootType
    let isOneStep = KeyPathSteps.steps(of: path)?.count == 1
    if let root = root as? any KeyPathNaming.Type {
      return root.name(following: path, isOneStep: isOneStep)
    }
    guard root is any KeyValueReadable.Type else {
      return .nameless("its root is neither a managed object class nor a KeyValueReadable type")
    }
    return .nameless(
      isOneStep
        ? "\(root).keyPathNames does not contain it"
        : "neither \(root).keyPathNames nor the names of the types along the path contain all of its steps"
    )
  }

  /// Returns the known names of the key paths that start at a type: the type's own table, and the names with
  /// a single key that were registered or found before.
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
      // The linker can merge the getters of several properties. A step with such a getter has several names,
      // so the path has no unique name.
      guard let first = known.first, Set(known.values).count == 1 else { return nil }
      names.append(first.value)
      let next = Swift.type(of: first.key).valueType
      type = (next as? any OptionalMetatype.Type)?.wrappedType ?? next
    }
    return names.isEmpty ? nil : names.joined(separator: ".")
  }

  static func text(_ path: AnyKeyPath, _ reason: String, remedy: String) -> String {
    let type = Swift.type(of: path)
    return
      "The key path \(path) from \(type.rootType) to \(type.valueType) has no key name: \(reason). "
      + remedy
  }

  static let sortRemedy =
    "Pass the key as a string instead, as in NSSortDescriptor(key: \"name\", ascending: true)."

  /// Stops the program if the key path has no name; `remedy` is then the last sentence of the error text.
  static func requiredName(
    of path: AnyKeyPath,
    remedy: String = "Use the key path of one property of the model, such as \\.name."
  ) -> String {
    switch search(path) {
    case .name(let name): return name
    case .nameless(let reason): Misuse.namelessKeyPath(path, reason, remedy: remedy)
    }
  }
}

/// Parses the steps of a key path from the key path's description, because Swift provides no other way to
/// inspect a key path.
///
/// A step is the name of a stored property, or the text in angle brackets that stands for a computed
/// property.
enum KeyPathSteps {
  /// Returns the steps without the root and without `?` and `!`; nil if the description cannot be parsed.
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

  /// Returns the end of the first step; nil if the step begins with an angle bracket that is not closed.
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

protocol OptionalMetatype {
  static var wrappedType: Any.Type { get }
}
extension Optional: OptionalMetatype {
  static var wrappedType: Any.Type { Wrapped.self }
}

/// Wraps a key path as a sendable dictionary key, because `AnyKeyPath` is not `Sendable`.
private struct AnyKeyPathBox: Hashable, @unchecked Sendable {
  // Unchecked: key paths are immutable, and a key path of properties captures no values.
  let path: AnyKeyPath
}

extension AnyKeyPath {
  /// The name of the key path in Core Data, such as `author.name`; corresponds to `#keyPath` on Apple's
  /// systems.
  ///
  /// Not in Apple's framework.
  ///
  /// Nil if no name is found, for example because the path contains a property that is not a key, or because
  /// the models in use have no entity for the hand-written class at which the path starts; see DEVIATIONS.md,
  /// “names of key paths”.
  /// - Complexity: O(1) for a name that was found before. Otherwise the search may compare every known name.
  ///   For a path that starts at a hand-written class, the search may also call the getters of the path's
  ///   properties.
  public var keyPathName: String? {
    if case .name(let name) = KeyPathNames.search(self) { return name }
    return nil
  }
}

/// An object, such as an object ID, that stands for the managed object with a certain key.
package protocol KeyCarrier: AnyObject {
  /// The key of the managed object; nil if this object does not stand for a managed object.
  var carriedKey: ObjectKey? { get }
}
