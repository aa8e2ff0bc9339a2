// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The code that is generated for one class: a class with `@NSManaged` members, or a hand-written class that
/// a model names.
struct ManagedClassPlan {
  /// The module that declares the class.
  let module: String
  /// The name of the class in source text, such as `Shop.Item`.
  let path: String
  let access: DeclaredAccess
  let conditions: [String]
  var members: [ManagedMemberPlan] = []
  /// The names and kinds of the entity's properties, in the order of their slots; nil unless the target's
  /// models name the class for exactly one entity.
  var slots: [(name: String, kind: AccessorKinds)]?
  /// The names of the properties that are generated from the model, if the entity's Codegen is
  /// “Category/Extension”; otherwise empty.
  var generatedProperties: [String] = []
  /// The name by which models refer to the class; nil if it is the same as `path`.
  var alias: String?
  /// Whether the target's sources declare the class, so that a table of its slots is generated.
  let isOwn: Bool
}

/// The accessors to generate for one member.
struct ManagedMemberPlan {
  enum Accessors {
    /// `type` is the type in source text.
    case property(type: String, getter: String, setter: String, body: AccessorBody)
    case function(symbol: String, parameters: [(label: String?, type: String)], body: [String])
  }

  let name: String
  /// The name of the property in the model.
  let key: String
  let access: DeclaredAccess
  let setterAccess: DeclaredAccess
  let conditions: [String]
  let accessors: Accessors
  /// Whether the generated table contains the property's key path.
  ///
  /// The table is in another file, so it cannot refer to a private property.
  let hasKeyPath: Bool
  /// The modules that declare the types in the accessors' signatures.
  let modules: Set<String>
}
