// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

extension ModelDefinition {
  /// Returns whether the value of a key path is a collection, because the path contains a to-many or a
  /// collection operator.
  ///
  /// Keys that follow an attribute or an unknown key are ignored.
  package func leadsToMany(_ path: String, from entity: EntityDefinition) -> Bool {
    var current = entity
    var isMany = false
    for key in path.split(separator: ".").map(String.init) {
      if ManagedKeys.isSelf(key) || key == ManagedKeys.objectID { continue }
      if key == "@count" { return false }
      if key.hasPrefix("@") {
        isMany = key.hasPrefix("@distinct") || key.hasPrefix("@union")
        continue
      }
      guard let relationship = current.property(named: key)?.relationship else { return isMany }
      isMany = isMany || relationship.isToMany
      current = entities[relationship.destination]
    }
    return isMany
  }
}
