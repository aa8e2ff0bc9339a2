// SPDX-License-Identifier: Apache-2.0

extension ModelDraft {
  /// Checks the names and the ancestors of the entities.
  ///
  /// Call this method for a draft from which no `ModelDefinition` is created; `ModelDefinition.init(_:)`
  /// makes the same checks.
  /// - Throws: `ModelError` if two entities have the same name, if parent entities form a cycle, or if an
  ///   entity has more than `EntityOrder.depth` ancestors.
  /// - Complexity: O(entities).
  package func checkHierarchy() throws {
    var parents: [String: String?] = [:]
    for entity in entities where parents.updateValue(entity.parent, forKey: entity.name) != nil {
      throw ModelError(
        entity: entity.name,
        reason: "two entities have this name; rename one of them"
      ).located(in: self)
    }
    var levels: [String: Int] = [:]
    for entity in entities {
      var line: [String] = []
      var next: String? = entity.name
      while let name = next, levels[name] == nil, let parent = parents[name] {
        if line.count > EntityOrder.depth {
          let error =
            line.contains(name)
            ? EntityOrder.cycleError(from: entity.name, parents: parents)
            : ModelError(entity: entity.name, reason: EntityOrder.isTooDeep)
          throw error.located(in: self)
        }
        line.append(name)
        next = parent
      }
      var level = next.flatMap { levels[$0] } ?? -1
      for name in line.reversed() {
        level += 1
        levels[name] = level
      }
      if level > EntityOrder.depth {
        throw ModelError(entity: entity.name, reason: EntityOrder.isTooDeep).located(in: self)
      }
    }
  }
}
