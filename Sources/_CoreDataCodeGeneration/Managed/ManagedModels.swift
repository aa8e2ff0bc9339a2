// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The entities of a target's models for which the model names a class.
struct ManagedModels {
  struct Entry {
    let entity: EntityDefinition
    let model: ModelDefinition
    let className: String
    let scope: ClassPlan.Scope?

    /// Returns whether code generated for the entity declares a property with that name.
    ///
    /// Generated code does not repeat the properties that the entity inherits.
    func generates(_ name: String) -> Bool {
      entity.property(named: name).map { $0.declaringEntity == entity.index } ?? false
    }
  }

  private(set) var entries: [Entry] = []
  /// Name of a generated class → name of its superclass.
  private(set) var generatedClasses: [String: String] = [:]

  init(_ models: [ModelDefinition] = []) {
    for model in models {
      let types = TypeNames(model: model)
      for entity in model.entities {
        guard let name = TypeNames.className(of: entity) else { continue }
        let scope = ClassPlan.scope(of: entity)
        entries.append(Entry(entity: entity, model: model, className: name, scope: scope))
        guard scope == .wholeClass else { continue }
        generatedClasses[name] =
          entity.parent.map { types.className(ofEntity: $0) } ?? "NSManagedObject"
      }
    }
  }

  var isEmpty: Bool { entries.isEmpty }

  /// Returns the entities whose class has one of the names.
  func entries(ofClass names: [String]) -> [Entry] {
    entries.filter { names.contains($0.className) }
  }
}
