// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// The Swift source that is generated for a target: the accessors of its `@NSManaged` members, type aliases,
/// and the classes through which value transformers and migration policies are found.
///
/// The compiler generates calls of an `@NSManaged` property's accessors but not the accessors themselves,
/// which the Objective-C runtime supplies on Apple's systems. The generated functions have the symbols that
/// these calls refer to.
struct ManagedSource {
  let plans: [ManagedClassPlan]
  let module: String
  var aliases: [ShadowedType] = []
  var named: [NamedClassPlan] = []

  func text() -> String {
    var blocks = [
      """
      // Generated for the @NSManaged members and the classes of “\(module)”; the next build overwrites changes.
      // swift-format-ignore-file
      // swiftlint:disable all
      """
    ]
    if plans.isEmpty, aliases.isEmpty, named.isEmpty { return blocks[0] + "\n" }
    blocks.append(importLines)
    if !aliases.isEmpty { blocks.append(aliasLines) }
    for plan in named {
      let text = """
        final class _CoreDataNamed_\(plan.name): _NamedClass {
          override class var _class: AnyClass { \(plan.path).self }
        }
        """
      blocks.append(conditional(text, plan.conditions))
    }
    for plan in plans { blocks.append(conditional(block(of: plan), plan.conditions)) }
    return blocks.joined(separator: "\n\n") + "\n"
  }

  /// The import declarations.
  ///
  /// A module is imported publicly if the signature of a public function contains a type of that module;
  /// otherwise the compiler would warn about the public import. `CoreData` exports Foundation's types, too.
  private var importLines: String {
    let members = plans.flatMap(\.members)
    let shown = members.filter { max($0.access, $0.setterAccess) >= .public }
    let exported: Set = [
      "CoreData", "Foundation", "FoundationEssentials", "FoundationInternationalization",
    ]
    let library = exported.union(["Swift", module])
    let extended = plans.filter { !$0.isOwn }.map(\.module)
    let used = members.reduce(into: Set(extended)) { $0.formUnion($1.modules) }
    let inPublic = shown.reduce(into: Set<String>()) { $0.formUnion($1.modules) }
    let lines = used.subtracting(library).sorted().map { name in
      inPublic.contains(name) ? "public import \(name)" : "import \(name)"
    }
    let isPublic =
      !inPublic.isDisjoint(with: exported) || aliases.contains { $0.access >= .public }
    return ([isPublic ? "public import CoreData" : "import CoreData"] + lines)
      .joined(separator: "\n")
  }

  private var aliasLines: String {
    (["// Foundation has empty classes with these names."]
      + aliases.map { type in
        "\(Self.modifier(type.access))typealias \(type.name) = CoreData.\(type.name)"
      })
      .joined(separator: "\n")
  }

  private func conditional(_ text: String, _ conditions: [String]) -> String {
    conditions.isEmpty
      ? text : "#if \(conditions.map { "(\($0))" }.joined(separator: " && "))\n\(text)\n#endif"
  }

  // MARK: Classes

  private func block(of plan: ManagedClassPlan) -> String {
    var parts = ["// MARK: - \(plan.path)"]
    if !plan.members.isEmpty {
      let members = plan.members.map { member in
        conditional(
          accessors(of: member, plan),
          member.conditions.filter { !plan.conditions.contains($0) }
        )
      }
      parts.append("extension \(plan.path) {\n\(members.joined(separator: "\n"))\n}")
    }
    if plan.isOwn { parts.append(table(of: plan)) }
    if plan.isOwn, let alias = plan.alias {
      parts.append(
        """
        final class _CoreDataClass_\(alias): _ManagedAccessors {
          override class var _managedClass: NSManagedObject.Type { \(plan.path).self }
        }
        """
      )
    }
    return parts.joined(separator: "\n\n")
  }

  /// Returns the source of the table in which the library looks up the class's slots and key-path names.
  private func table(of plan: ManagedClassPlan) -> String {
    let name = "_CoreDataAccessors_" + plan.path.split(separator: ".").joined(separator: "__")
    var members = ["  override class var _managedClass: NSManagedObject.Type { \(plan.path).self }"]
    if let slots = plan.slots {
      let names = slots.map { "\"\($0.name)\"" }.joined(separator: ", ")
      let kinds = slots.map { "\($0.kind.rawValue)" }.joined(separator: ", ")
      members.append("  override class var _slotNames: [String]? { [\(names)] }")
      members.append("  override class var _slotKinds: [UInt16] { [\(kinds)] }")
    }
    let paths = plan.members.filter(\.hasKeyPath)
    if !paths.isEmpty || !plan.generatedProperties.isEmpty {
      let generated = plan.generatedProperties.map { pathLine(plan, $0, key: $0) }
      let written = paths.map { member in
        conditional(
          pathLine(plan, member.name, key: member.key),
          member.conditions.filter { !plan.conditions.contains($0) }
        )
      }
      let lines = generated + written
      members.append(
        """
          override class var _keyPathNames: [AnyKeyPath: String] {
            var names: [AnyKeyPath: String] = [:]
        \(lines.joined(separator: "\n"))
            return names
          }
        """
      )
    }
    return "final class \(name): _ManagedAccessors {\n\(members.joined(separator: "\n"))\n}"
  }

  private func pathLine(_ plan: ManagedClassPlan, _ name: String, key: String) -> String {
    "    names[\\\(plan.path).\(SwiftName(text: name).source)] = \"\(key)\""
  }

  // MARK: Members

  private func accessors(of member: ManagedMemberPlan, _ plan: ManagedClassPlan) -> String {
    let prefix = "_" + plan.path.split(separator: ".").joined(separator: "_") + "_"
    switch member.accessors {
    case .property(let type, let getter, let setter, let body):
      return """
          @_silgen_name("\(getter)")
          \(Self.modifier(member.access))nonisolated final func \(prefix)get_\(member.name)() -> \(type) {
            \(body.get)
          }
          @_silgen_name("\(setter)")
          \(Self.modifier(member.setterAccess))nonisolated final func \(prefix)set_\(member.name)(_ value: __owned \(type)) {
            \(body.set)
          }
        """
    case .function(let symbol, let parameters, let body):
      let list = parameters.enumerated().map { "\($1.label ?? "_") p\($0): \($1.type)" }
        .joined(separator: ", ")
      return """
          @_silgen_name("\(symbol)")
          \(Self.modifier(member.access))nonisolated final func \(prefix)\(member.name)(\(list)) {
            \(body.joined(separator: "\n    "))
          }
        """
    }
  }

  /// Returns the access modifier that gives a function the linkage that the compiler expects.
  private static func modifier(_ access: DeclaredAccess) -> String {
    switch access {
    case .public, .open: "public "
    case .package: "package "
    case .internal, .fileprivate, .private: ""
    }
  }
}
