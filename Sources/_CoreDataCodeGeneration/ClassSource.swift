// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

struct ClassSource {
  let plan: ClassPlan
  /// The access modifier: `public ` or an empty string.
  let access: String

  /// The blocks of source text, between which the caller inserts blank lines.
  struct Blocks {
    /// A comment that separates the class from others in the same file.
    let mark: String
    /// The declaration of the class; nil if the class is written by hand.
    let declaration: String?
    let extensions: [String]

    var all: [String] { [mark] + [declaration].compactMap { $0 } + extensions }
  }

  func blocks() -> Blocks {
    var extensions = [properties()]
    for property in plan.ownProperties {
      if let member = property.memberType { extensions.append(members(of: property, type: member)) }
    }
    if conformsToIdentifiable { extensions.append("extension \(plan.name): Identifiable {}") }
    return Blocks(
      mark: "// MARK: - \(plan.entity.name)",
      declaration: plan.scope == .wholeClass ? classDeclaration() : nil,
      extensions: extensions
    )
  }

  /// Only a root class declares the conformance: a subclass inherits it, and repeating it would not compile.
  private var conformsToIdentifiable: Bool { plan.isRootClass }

  // MARK: Class

  private func classDeclaration() -> String {
    """
    \(access)class \(plan.name): \(plan.superclass) {
      override \(access)class var _entityName: String? { \(literal(plan.entity.name)) }

      override \(access)class var _slotNames: [String] {
    \(slotNames())
      }

      override \(access)class var _keyPathNames: [AnyKeyPath: String] {
    \(keyPathNames())
      }
    }
    """
  }

  private func slotNames() -> String {
    if plan.entity.properties.isEmpty { return "    []" }
    let lines = plan.entity.properties.map { "      \(literal($0.name))," }
    return "    [\n" + lines.joined(separator: "\n") + "\n    ]"
  }

  private func keyPathNames() -> String {
    if plan.reachable.isEmpty { return plan.isRootClass ? "    [:]" : "    super._keyPathNames" }
    let lines = plan.reachable.map {
      "      \\\(plan.name).\($0.name.source): \(literal($0.name.text)),"
    }
    let table = "[\n" + lines.joined(separator: "\n") + "\n    ]"
    if plan.isRootClass { return "    " + table }
    return """
          let names: [AnyKeyPath: String] = \(table)
          return super._keyPathNames.merging(names) { _, own in own }
      """
  }

  // MARK: Properties

  private func properties() -> String {
    let request = """
        @nonobjc \(access)class func fetchRequest() -> NSFetchRequest<\(plan.name)> {
          NSFetchRequest<\(plan.name)>(entityName: \(literal(plan.entity.name)))
        }
      """
    let declarations = plan.ownProperties.map(declaration(of:))
    return "extension \(plan.name) {\n"
      + ([request] + declarations).joined(separator: "\n\n") + "\n}"
  }

  private func declaration(of property: PropertyPlan) -> String {
    let head = "  \(access)var \(property.name.source): \(property.type) {"
    switch property.storage {
    case .accessors(let read, let write):
      return """
        \(head)
            get { \(read)(\(slotAndName(of: property))) }
            set { \(write)(newValue, \(slotAndName(of: property))) }
          }
        """
    case .fetched:
      let type = property.type.dropLast()
      return """
        \(head)
            value(forKey: \(literal(property.name.text))) as? \(type)
          }
        """
    }
  }

  // MARK: Members of to-manys

  private func members(of property: PropertyPlan, type: String) -> String {
    let functions =
      property.isOrdered
      ? orderedMembers(of: property, type: type) : unorderedMembers(of: property, type: type)
    return "// MARK: Generated accessors for \(property.name.text)\n"
      + "extension \(plan.name) {\n" + functions.joined(separator: "\n\n") + "\n}"
  }

  private func unorderedMembers(of property: PropertyPlan, type: String) -> [String] {
    let name = property.name.capitalized
    return changes(of: property, type: type, collection: "NSSet", name: name)
  }

  private func orderedMembers(of property: PropertyPlan, type: String) -> [String] {
    let name = property.name.capitalized
    let slotAndName = slotAndName(of: property)
    return [
      function(
        "insertInto\(name)(_ value: \(type), at idx: Int)",
        "_insert(value, at: idx, \(slotAndName))"
      ),
      function("removeFrom\(name)(at idx: Int)", "_removeObject(at: idx, \(slotAndName))"),
      function(
        "insertInto\(name)(_ values: [\(type)], at indexes: NSIndexSet)",
        "_insert(values, at: indexes, \(slotAndName))"
      ),
      function(
        "removeFrom\(name)(at indexes: NSIndexSet)",
        "_removeObjects(at: indexes, \(slotAndName))"
      ),
      function(
        "replace\(name)(at idx: Int, with value: \(type))",
        "_replace(at: idx, with: value, \(slotAndName))"
      ),
      function(
        "replace\(name)(at indexes: NSIndexSet, with values: [\(type)])",
        "_replace(at: indexes, with: values, \(slotAndName))"
      ),
    ] + changes(of: property, type: type, collection: "NSOrderedSet", name: name)
  }

  private func changes(
    of property: PropertyPlan,
    type: String,
    collection: String,
    name: String
  ) -> [String] {
    let slotAndName = slotAndName(of: property)
    return [
      function("addTo\(name)(_ value: \(type))", "_add(value, \(slotAndName))"),
      function("removeFrom\(name)(_ value: \(type))", "_remove(value, \(slotAndName))"),
      function("addTo\(name)(_ values: \(collection))", "_add(values, \(slotAndName))"),
      function("removeFrom\(name)(_ values: \(collection))", "_remove(values, \(slotAndName))"),
    ]
  }

  private func function(_ signature: String, _ body: String) -> String {
    """
      \(access)func \(signature) {
        \(body)
      }
    """
  }

  // MARK: Pieces

  private func slotAndName(of property: PropertyPlan) -> String {
    "\(property.slot), \(literal(property.name.text))"
  }

  private func literal(_ text: String) -> String {
    let escaped = text.flatMap { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }
    return "\"" + String(escaped) + "\""
  }
}
