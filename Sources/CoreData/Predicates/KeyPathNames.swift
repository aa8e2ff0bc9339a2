// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A class that tells the names of its properties' key paths; generated classes do.
package protocol KeyPathNaming: AnyObject {
  /// Key path → property name, inherited ones included.
  static var _keyPathNames: [AnyKeyPath: String] { get }
}

/// The names behind Swift's key paths, which Linux does not keep.
package enum KeyPathNames {
  private static let registered = Mutex<[AnyKeyPathBox: String]>([:])

  /// Adds names for the key paths of classes that do not conform to `KeyPathNaming`.
  package static func register(_ names: [AnyKeyPath: String]) {
    registered.withLock { table in
      for (path, name) in names { table[AnyKeyPathBox(path: path)] = name }
    }
  }

  /// The dotted name of a key path, or nil where no table has it.
  ///
  /// Paths of two steps are found through the tables of both classes.
  package static func name(of path: AnyKeyPath) -> String? {
    let box = AnyKeyPathBox(path: path)
    if let known = registered.withLock({ $0[box] }) { return known }
    guard let found = find(path) else { return nil }
    registered.withLock { $0[box] = found }
    return found
  }

  private static func find(_ path: AnyKeyPath) -> String? {
    guard let root = type(of: path).rootType as? any KeyPathNaming.Type else { return nil }
    let names = root._keyPathNames
    if let name = names[path] { return name }
    for (first, name) in names {
      guard let next = type(of: first).valueType as? any KeyPathNaming.Type else { continue }
      for (second, tail) in next._keyPathNames where first.appending(path: second) == path {
        return name + "." + tail
      }
    }
    return nil
  }

  /// The dotted name of a key path; one without a name stops the program.
  static func requiredName(of path: AnyKeyPath) -> String {
    guard let name = name(of: path) else { Misuse.namelessKeyPath("\(path)") }
    return name
  }
}

/// Key paths are immutable and safe to share, but not declared so.
private struct AnyKeyPathBox: Hashable, @unchecked Sendable {
  // Unchecked: key paths of properties capture nothing that changes.
  let path: AnyKeyPath
}
