// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The plan of the code that is generated for one entity.
struct ClassPlan {
  enum Scope {
    /// The class and its properties.
    case wholeClass
    /// An extension with the properties; the class is written by hand.
    case category
  }

  let entity: EntityDefinition
  let scope: Scope
  /// The name of the class in source text.
  let name: String
  let superclass: String
  /// The properties that the entity declares, in the order of their slots.
  let ownProperties: [PropertyPlan]
  /// The properties that generated code declares for the class and its ancestors; properties of the root
  /// class come first.
  let reachable: [PropertyPlan]
  /// Whether the superclass is `NSManagedObject`.
  let isRootClass: Bool

  /// Returns the plans of the entities for which code is generated, in the order of the model's entities.
  ///
  /// - Throws: `ModelError` for names that are not Swift identifiers or are reserved, and for duplicate
  ///   classes.
  static func plans(of model: ModelDefinition) throws -> [ClassPlan] {
    let types = TypeNames(model: model)
    var plans: [ClassPlan] = []
    for entity in model.entities {
      guard let scope = scope(of: entity) else { continue }
      plans.append(try ClassPlan(entity, scope: scope, in: model, types: types))
    }
    try checkClasses(plans)
    return plans
  }

  /// Returns the scope of the code generated for an entity; nil if the model disables code generation for the
  /// entity, or names no class other than `NSManagedObject`.
  static func scope(of entity: EntityDefinition) -> Scope? {
    guard TypeNames.className(of: entity) != nil else { return nil }
    switch entity.codeGeneration {
    case .class: return .wholeClass
    case .category: return .category
    case nil: return nil
    }
  }

  private init(
    _ entity: EntityDefinition,
    scope: Scope,
    in model: ModelDefinition,
    types: TypeNames
  ) throws {
    let className = SwiftName(text: TypeNames.className(of: entity) ?? "")
    guard className.isValid else {
      throw ModelError(
        entity: entity.name,
        reason: "its class “\(className.text)” is not a Swift class name; choose another class name"
      )
    }
    var reachable: [PropertyPlan] = []
    var superclass: String?
    for ancestor in Self.ancestors(of: entity, in: model) where Self.scope(of: ancestor) != nil {
      reachable += Self.declared(by: ancestor, types: types)
    }
    for ancestor in Self.ancestors(of: entity, in: model).reversed() where superclass == nil {
      superclass = TypeNames.className(of: ancestor).map { SwiftName(text: $0).source }
    }
    self.entity = entity
    self.scope = scope
    name = className.source
    isRootClass = superclass == nil
    self.superclass = superclass ?? types.system("NSManagedObject", in: "CoreData")
    ownProperties = Self.declared(by: entity, types: types)
    self.reachable = reachable + ownProperties
    try checkProperties()
  }

  /// Returns the ancestors of an entity, the root first; the entity itself is not included.
  private static func ancestors(
    of entity: EntityDefinition,
    in model: ModelDefinition
  ) -> [EntityDefinition] {
    var path: [EntityDefinition] = []
    var next = entity.parent
    while let index = next {
      path.insert(model.entities[index], at: 0)
      next = model.entities[index].parent
    }
    return path
  }

  private static func declared(by entity: EntityDefinition, types: TypeNames) -> [PropertyPlan] {
    entity.properties
      .filter { $0.declaringEntity == entity.index }
      .map { PropertyPlan($0, types: types) }
  }

  private func checkProperties() throws {
    for property in ownProperties {
      let text = property.name.text
      if !property.name.isValid {
        throw ModelError(
          entity: entity.name,
          property: text,
          reason: "the name is not a Swift identifier; choose another name"
        )
      }
      if SwiftName.reservedBySwift.contains(text) {
        throw ModelError(
          entity: entity.name,
          property: text,
          reason: "Swift reserves the member name \(text) in every type; choose another name"
        )
      }
      if SwiftName.reservedByManagedObjects.contains(text) {
        throw ModelError(
          entity: entity.name,
          property: text,
          reason: "every managed object has a member with this name; choose another name"
        )
      }
    }
  }

  private static func checkClasses(_ plans: [ClassPlan]) throws {
    var owners: [String: String] = [:]
    for plan in plans {
      if let owner = owners.updateValue(plan.entity.name, forKey: plan.name) {
        throw ModelError(
          entity: plan.entity.name,
          reason:
            "its class “\(plan.name)” is already generated for the entity “\(owner)”; choose another class "
            + "name"
        )
      }
    }
  }
}
