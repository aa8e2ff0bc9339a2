// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A sort descriptor by a key path whose key is not known when it is made; asked again at each use.
final class PathSortDescriptor: NSSortDescriptor {
  private let path: AnyKeyPath

  init(_ path: AnyKeyPath, ascending: Bool) {
    self.path = path
    // Foundation wants a path of its own; everything that reads it is overridden.
    super.init(keyPath: \String.count, ascending: ascending)
  }

  /// The same order by key; a path that is no key stops the program.
  private var keyed: KeyedSortDescriptor { KeyedSortDescriptor(sortKey, path: path) }

  override var keyPath: AnyKeyPath { path }
  override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
    keyed.compare(object1, to: object2)
  }
  override var comparator: Comparator { keyed.comparator }
  override var reversedSortDescriptor: Any { PathSortDescriptor(path, ascending: !ascending) }
  override func copy(with zone: NSZone? = nil) -> Any { self }
}
