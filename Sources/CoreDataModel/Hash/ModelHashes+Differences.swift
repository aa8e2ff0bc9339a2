// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ModelHashes {
  /// What keeps a store from being opened with this model, a line an entity; empty if they fit.
  ///
  /// `stored` is the store's `NSStoreModelVersionHashes`. Of `entities` only those names are looked
  /// at, such as a configuration's; nil is all of both sides. Entities whose hash is unverifiable
  /// count as equal when both sides have them.
  package func differences(
    stored: [String: Data],
    entities: Set<String>? = nil
  ) -> [String] {
    var lines: [String] = []
    for name in Set(stored.keys).union(byEntity.keys).sorted(by: utf8Less) {
      if let entities, !entities.contains(name) { continue }
      switch (stored[name], byEntity[name]) {
      case (nil, _?): lines.append("\(name): added, the store does not have it")
      case (_?, nil): lines.append("\(name): removed, only the store has it")
      case (let old?, let new?) where old != new && !unverifiable.contains(name):
        lines.append("\(name): changed")
      default: break
      }
    }
    return lines
  }
}
