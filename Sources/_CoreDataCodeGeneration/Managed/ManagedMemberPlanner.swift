// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Plans the accessors of the `@NSManaged` members of one class or extension.
struct ManagedMemberPlanner {
  private let planner: ManagedPlanner
  private let declaration: TypeDeclaration
  private let type: NominalType
  private let isOwn: Bool
  private let entries: [ManagedModels.Entry]

  init(
    _ planner: ManagedPlanner,
    _ declaration: TypeDeclaration,
    _ type: NominalType,
    isOwn: Bool
  ) {
    self.planner = planner
    self.declaration = declaration
    self.type = type
    self.isOwn = isOwn
    let names = [type.declaration?.objectiveCName ?? type.name, type.path]
    entries = isOwn ? planner.models.entries(ofClass: names) : []
  }

  /// Returns the plan of a member; reports an error and returns nil if no accessors can be generated for it.
  func plan(_ member: ManagedMember) -> ManagedMemberPlan? {
    if let obstacle = member.obstacle {
      report(.error, member, obstacle)
      return nil
    }
    if let entry = entries.first(where: { $0.scope == .category && $0.generates(member.name) }) {
      report(
        .error,
        member,
        "the property is also generated from the model, for the entity \(entry.entity.name); set Codegen of "
          + "the entity to Manual/None, or delete the property"
      )
      return nil
    }
    do throws(TypeResolver.Failure) {
      switch member.kind {
      case .property(let syntax): return try property(member, syntax)
      case .function(let parameters, let result):
        return try function(member, parameters, result)
      }
    } catch {
      report(
        .error,
        member,
        "no accessor can be generated: \(error.reason). Write the type with its module, declare it in a "
          + "module that is built from sources, or write the accessor with value(forKey:) and "
          + "setValue(_:forKey:)"
      )
      return nil
    }
  }

  private func report(_ severity: ModelProblem.Severity, _ member: ManagedMember, _ reason: String)
  {
    planner.report(
      severity,
      file: declaration.file,
      line: member.line,
      reason,
      class: type.path,
      member: member.name
    )
  }

  // MARK: Symbols

  private var extensionModule: String? {
    type.module == planner.target.module ? nil : planner.target.module
  }

  private var printer: TypePrinter { TypePrinter(target: planner.target) }

  private func writtenAccess(of member: ManagedMember) -> DeclaredAccess {
    if let access = member.access { return access }
    guard declaration.kind == .extension, let given = declaration.access else { return .internal }
    return given
  }

  private func discriminator(of member: ManagedMember) -> String? {
    guard writtenAccess(of: member) <= .fileprivate else { return nil }
    return SourceDiscriminator.text(
      module: planner.target.module,
      fileName: URL(fileURLWithPath: declaration.file).lastPathComponent
    )
  }

  /// Returns the access level that gives an accessor the linkage that the compiler expects.
  ///
  /// The method table of a subclass in another module refers to all accessors of an open class, even to
  /// private ones, so their symbols must be visible. But a public function cannot have internal types in its
  /// signature. An accessor with such a type stays internal, which suffices in a statically linked program.
  private func access(_ written: DeclaredAccess, _ types: [ResolvedType]) -> DeclaredAccess {
    let level = planner.access(of: type)
    if declaration.kind == .class, level == .open, types.allSatisfy(isPublic) { return .public }
    return min(written, level)
  }

  private func isPublic(_ type: ResolvedType) -> Bool {
    switch type {
    case .anyObject: true
    case .optional(let wrapped): isPublic(wrapped)
    case .existential(let types): types.allSatisfy { planner.access(of: $0) >= .public }
    case .nominal(let nominal, let arguments):
      planner.access(of: nominal) >= .public && arguments.allSatisfy(isPublic)
    }
  }

  private func resolve(_ syntax: TypeSyntax) throws(TypeResolver.Failure) -> ResolvedType {
    let scope = TypeResolver.Scope(
      type: declaration,
      file: declaration.file,
      module: planner.target
    )
    let found = try planner.resolver.resolve(syntax, in: scope)
    if let hidden = found.hiddenType {
      throw TypeResolver.Failure(
        reason: "\(hidden) is private, and accessors are in another file; make the type internal"
      )
    }
    return found
  }

  // MARK: Properties

  private func property(
    _ member: ManagedMember,
    _ syntax: TypeSyntax
  ) throws(TypeResolver.Failure) -> ManagedMemberPlan {
    let resolved = try resolve(syntax)
    let symbols = SwiftMangler.accessors(
      of: member.name,
      in: type,
      extensionModule: extensionModule,
      discriminator: discriminator(of: member),
      type: resolved
    )
    let shape = ValueShape(resolved.unwrapped, planner.resolver)
    let written = writtenAccess(of: member)
    let (key, body) = body(member, resolved, shape)
    return ManagedMemberPlan(
      name: member.name,
      key: key,
      access: access(written, [resolved]),
      setterAccess: access(min(written, member.setterAccess ?? written), [resolved]),
      conditions: declaration.allConditions
        + member.conditions.filter {
          !declaration.allConditions.contains($0)
        },
      accessors: .property(
        type: printer.text(resolved),
        getter: symbols.getter,
        setter: symbols.setter,
        body: body
      ),
      hasKeyPath: isOwn && written > .fileprivate && key == member.key,
      modules: resolved.modules
    )
  }

  private func body(
    _ member: ManagedMember,
    _ resolved: ResolvedType,
    _ shape: ValueShape
  ) -> (key: String, AccessorBody) {
    let nominal: NominalType? =
      if case .nominal(let found, _) = resolved.unwrapped { found } else { nil }
    let type = printer.text(resolved.unwrapped)
    let kinds = shape.kinds(of: nominal)
    let check = ManagedPropertyCheck(entries: entries, resolver: planner.resolver)
    let property = { (place: String, key: String) in
      AccessorBody.Property(isOptional: resolved.isOptional, type: type, place: place, key: key)
    }
    switch check.result(for: member.key, ManagedPropertyCheck.Written(shape, kinds, resolved)) {
    case .primitive(let key):
      let empty = shape.emptyPrimitive(nominal)
      return (key, AccessorBody(primitive: property("", key), empty: empty))
    case .mismatch(let reason):
      report(.warning, member, reason)
      return (member.key, AccessorBody(mismatchOf: member.key))
    case .fits(let slot, let warning):
      if let warning { report(.warning, member, warning) }
      let index = slot.map(String.init) ?? "_slot(\"\(member.key)\", \(kinds.rawValue))"
      let place = "\(index), \"\(member.key)\""
      return (member.key, AccessorBody(shape, property(place, member.key)))
    }
  }

  // MARK: Functions

  private func function(
    _ member: ManagedMember,
    _ parameters: [ManagedMember.Parameter],
    _ result: TypeSyntax?
  ) throws(TypeResolver.Failure) -> ManagedMemberPlan? {
    var types: [(label: String?, type: ResolvedType)] = []
    for parameter in parameters { types.append((parameter.label, try resolve(parameter.type))) }
    let accessor = CollectionAccessor(
      name: member.name,
      labels: parameters.map(\.label),
      selector: member.objectiveCName
    )
    guard let accessor, result == nil || result?.text == "Void" else {
      report(
        .error,
        member,
        "Core Data supplies no function of this form; it supplies addTo…, removeFrom…, insertInto… and "
          + "replace… for a to-many relationship"
      )
      return nil
    }
    let symbol = SwiftMangler.function(
      member.name,
      in: type,
      extensionModule: extensionModule,
      discriminator: discriminator(of: member),
      parameters: types,
      result: nil
    )
    let check = ManagedPropertyCheck(entries: entries, resolver: planner.resolver)
    let place = check.relationship(accessor.key)
    if let warning = place.warning { report(.warning, member, warning) }
    let kinds = AccessorKinds.toMany.rawValue
    let index = place.slot.map(String.init) ?? "_slot(\"\(accessor.key)\", \(kinds))"
    let slot = "\(index), \"\(accessor.key)\""
    let body = CollectionBody(accessor.operation, types.map(\.type), planner.resolver)
    guard let call = body.call(place: slot) else {
      throw TypeResolver.Failure(
        reason:
          "the parameter must be a managed object, a set, an ordered set, an array, an index or indexes"
      )
    }
    return ManagedMemberPlan(
      name: member.name,
      key: accessor.key,
      access: access(writtenAccess(of: member), types.map(\.type)),
      setterAccess: .internal,
      conditions: declaration.allConditions
        + member.conditions.filter {
          !declaration.allConditions.contains($0)
        },
      accessors: .function(
        symbol: symbol,
        parameters: types.map { ($0.label, printer.text($0.type)) },
        body: [call]
      ),
      hasKeyPath: false,
      modules: types.reduce(into: []) { $0.formUnion($1.type.modules) }
    )
  }
}

extension ResolvedType {
  /// The modules that declare this type and the types of which it is composed.
  var modules: Set<String> {
    switch self {
    case .anyObject: []
    case .optional(let type): type.modules
    case .existential(let types): Set(types.map(\.module))
    case .nominal(let type, let arguments):
      arguments.reduce(into: [type.module]) { $0.formUnion($1.modules) }
    }
  }

  /// The name of a private or file-private type that occurs in this type; nil if no such type occurs.
  var hiddenType: String? {
    switch self {
    case .anyObject: nil
    case .optional(let type): type.hiddenType
    case .existential(let types): types.compactMap(\.hiddenPath).first
    case .nominal(let type, let arguments):
      type.hiddenPath ?? arguments.compactMap(\.hiddenType).first
    }
  }
}

extension NominalType {
  fileprivate var hiddenPath: String? {
    if let access = declaration?.access, access <= .fileprivate { return path }
    return parent?.hiddenPath
  }
}
