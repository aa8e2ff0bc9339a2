// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The code that is generated for one class with `@NSManaged` members, or for a hand-written class of a model.
struct ManagedClassPlan {
  /// The module that declares the class.
  let module: String
  /// The name of the class in source text, such as `Shop.Item`.
  let path: String
  let access: DeclaredAccess
  let conditions: [String]
  var members: [ManagedMemberPlan] = []
  /// The names of the properties of the class's entity in the order of their slots, and their kinds; nil if no
  /// model of the target names the class for exactly one entity.
  var slots: [(name: String, kind: AccessorKinds)]?
  /// The names of the properties that “Category/Extension” generates for the class.
  var generatedProperties: [String] = []
  /// The name by which models refer to a class whose name in Swift is another one; nil for other classes.
  var alias: String?
  /// Whether the class belongs to the module, so that a table of its names is generated.
  let isOwn: Bool
}

/// The accessors of one member.
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
  /// Whether other files of the module can name the property, so that its key path gets a name.
  let hasKeyPath: Bool
  /// The modules of the types that the accessors name.
  let modules: Set<String>
}
