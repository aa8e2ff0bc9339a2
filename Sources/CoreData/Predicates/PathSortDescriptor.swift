// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A sort descriptor by a key path whose key is not known when it is made: Foundation's own.
final class PathSortDescriptor: NSSortDescriptor {
  init<Root, Value>(_ keyPath: KeyPath<Root, Value>, ascending: Bool) {
    super.init(keyPath: keyPath, ascending: ascending)
  }
}
