// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// Compiles conditions and terms to SQL with the same meaning as in memory.
///
/// A compiled condition can be NULL in a row instead of false; `not` turns NULL into 1, so that the negated
/// condition includes the row. If SQL cannot express a condition exactly, the compiler throws
/// `StoreError.inexpressible`, and a fetch then evaluates the condition in memory.
final class ConditionCompiler {
  let layout: Layout
  let storeIndex: Int
  let dialect: any Dialect
  let columns: RowColumns
  /// The condition that is true for every row.
  let always: SQL
  /// The condition that is false for every row.
  let never: SQL
  /// The expressions of dictionary columns, by the name of the column.
  private var named: [String: (SQL, ValueType)] = [:]
  /// The names of the columns that aggregate rows.
  private var aggregateNames: Set<String> = []
  /// Whether the argument of an aggregate is being compiled.
  var isInAggregate = false
  /// The columns of rows that aggregating conditions and terms read outside aggregates.
  private(set) var bareColumns: [SQL] = []
  /// Whether the term that is being compiled can aggregate the rows of the statement, for example with
  /// `sum:`.
  private(set) var allowsAggregates = false
  /// The number of table aliases in use, including that of the root table.
  private var aliases = 1
  private var comparisons = 0
  /// The number of aggregates of the statement's rows that have been compiled.
  var rowAggregates = 0
  /// How the condition that is being compiled may differ from the one in memory; nil for not at all.
  var bound: Bound?
  /// Whether an aggregate was compiled that is NULL where it is not certain.
  var isUncertain = false
  /// The comparison that is being compiled, which is shown in error texts.
  private var current: Comparison?

  init(layout: Layout, storeIndex: Int) {
    self.layout = layout
    self.storeIndex = storeIndex
    dialect = layout.dialect
    columns = dialect.columns
    always = dialect.always
    never = dialect.never
  }

  /// Returns what `body` asks the dialect for.
  ///
  /// - Throws: `.inexpressible` if the engine cannot calculate it exactly.
  func asked<Answer>(_ body: () throws(Unsayable) -> Answer) throws -> Answer {
    do {
      return try body()
    } catch {
      throw unsupported(error.what)
    }
  }

  /// Returns the primary key column of the table with this alias.
  func primaryKey(_ alias: String) -> SQL {
    SQL.column(columns.key, of: alias).with(.isPrimaryKey)
  }

  func nextAlias() -> String {
    defer { aliases += 1 }
    return "t\(aliases)"
  }

  /// Defines the name by which key paths and variables can refer to the expression of a dictionary column.
  func define(_ name: String, as piece: SQL, _ type: ValueType, isAggregate: Bool) {
    named[name] = (piece, type)
    if isAggregate { aggregateNames.insert(name) }
  }

  /// Returns whether the name is that of a column that aggregates rows.
  func isAggregate(named name: String) -> Bool { aggregateNames.contains(name) }

  /// Forgets the noted columns after the first `count`.
  func forgetBareColumns(after count: Int) { bareColumns.removeSubrange(count...) }

  /// Notes a column that is read outside aggregates.
  private func note(_ piece: SQL, named name: String? = nil) {
    guard allowsAggregates, !isInAggregate, dialect.groupsStrictly else { return }
    if let name, aggregateNames.contains(name) { return }
    bareColumns.append(piece)
  }

  func unknown(_ keyPath: String, in entity: EntityDefinition) -> StoreError {
    .unknownKeyPath(keyPath, in: entity, named: described(entity), of: layout.model)
  }

  /// Returns the error for a construct that SQL cannot express; `what` is a noun phrase for the construct.
  ///
  /// The error text contains the comparison that is being compiled.
  func unsupported(_ what: String) -> StoreError {
    let place = current.map { " for predicate \($0.outline)" } ?? ""
    return StoreError(.inexpressible, "unimplemented SQL generation\(place): \(what)")
  }

  func unsupported(_ function: AggregateFunction, _ what: String) -> StoreError {
    unsupported("\(Function.aggregate(function).spelling) \(what)")
  }

  func toMany(_ path: MemberPath) -> StoreError {
    StoreError(
      .invalidRequest,
      "to-many key not allowed here: \(path.keyPath) of entity \(described(path.start)); "
        + "use ANY, ALL, NONE, a collection operator or SUBQUERY"
    )
  }

  /// Returns a description of the entity in the form that Apple's error texts use.
  func described(_ entity: EntityDefinition) -> String {
    "<NSSQLEntity \(entity.name) id=\(layout.entities[entity.index].number)>"
  }

  // MARK: Conditions

  /// Compiles a condition of a statement.
  ///
  /// The numbers of comparisons and values in the condition are subtracted from `allowance`, which all
  /// conditions of the statement share. `depth` is the number of parser states that the enclosing condition
  /// needs. If `aggregates` is true, the condition can aggregate the rows of the statement, for example with
  /// `sum:`.
  ///
  /// - Throws: `StoreError.invalidRequest` for an invalid condition; `.inexpressible` for a condition that
  ///   SQL cannot express, that is nested too deeply for the engine's parser, or that exceeds the allowance.
  func statementCondition(
    _ condition: Condition,
    in scope: Scope,
    within allowance: inout StatementAllowance,
    leaving depth: Int = 0,
    aggregates: Bool = false
  ) throws -> SQL {
    allowsAggregates = aggregates
    defer { allowsAggregates = false }
    let before = comparisons
    let piece = try self.condition(condition, in: scope)
    let (compared, bound) = (comparisons - before, piece.valueCount)
    if compared > allowance.comparisons {
      throw unsupported(
        "a statement with more than \(CellText.count(EngineLimits.comparisons)) comparisons"
      )
    }
    if bound > allowance.values {
      throw unsupported("a statement with more than \(CellText.count(EngineLimits.values)) values")
    }
    if let obstacle = dialect.obstacle(piece, height: condition.height, leaving: depth) {
      throw unsupported(obstacle)
    }
    allowance.comparisons -= compared
    allowance.values -= bound
    return piece
  }

  /// Returns whether a term is a single column, so that several comparisons with it can become one `IN`.
  private func isColumn(_ term: Term, in scope: Scope) throws -> Bool {
    if case .column = try operand(term, in: scope) { true } else { false }
  }

  func condition(_ condition: Condition, in scope: Scope) throws -> SQL {
    switch condition {
    case .constant(let flag): return flag ? always : never
    case .and(let parts):
      let gathered =
        bound != nil ? parts : try parts.gathered(.notEqual) { try isColumn($0, in: scope) }
      return try joined(gathered, with: " AND ", none: always, in: scope)
    case .or(let parts):
      let gathered =
        bound != nil ? parts : try parts.gathered(.equal) { try isColumn($0, in: scope) }
      return try joined(gathered, with: " OR ", none: never, in: scope)
    case .not(.not(let part)): return try self.condition(part, in: scope)
    case .not(let part):
      let piece = try contrary { try self.condition(part, in: scope) }
      if bound != nil, piece == never { return always }
      return SQL.not(piece)
    case .comparison(let comparison):
      comparisons += 1
      let outer = current
      current = comparison
      defer { current = outer }
      return try bounded(comparison, in: scope)
    case .opaque:
      if let bound { return bound == .possible ? always : never }
      throw StoreError(
        .inexpressible,
        "Problem with subpredicate BLOCKPREDICATE: a store cannot evaluate a block"
      )
    }
  }

  private func joined(
    _ parts: [Condition],
    with separator: String,
    none: SQL,
    in scope: Scope
  ) throws -> SQL {
    var pieces = try parts.map { try condition($0, in: scope) }
    if bound != nil {
      // The bound of a comparison of which nothing is known is one of these two.
      let other = none == always ? never : always
      if pieces.contains(other) { return other }
      pieces.removeAll { $0 == none }
    }
    return SQL.joined(pieces, with: separator) ?? none
  }

  // MARK: Terms

  /// Compiles a term that can aggregate the rows of the statement, for example with `sum:`.
  func aggregatingOperand(_ term: Term, in scope: Scope) throws -> Operand {
    allowsAggregates = true
    defer { allowsAggregates = false }
    return try operand(term, in: scope)
  }

  func operand(_ term: Term, in scope: Scope) throws -> Operand {
    switch term {
    case .constant(let constant):
      if let members = constant.value.members { return .list(members.map(Operand.constant)) }
      return .constant(constant.value)
    case .evaluatedObject:
      return reference(alias: scope.root.alias, column: nil, entity: scope.root.entity)
    case .keyPath(let keyPath), .keyPathOf(.evaluatedObject, let keyPath):
      return try operand(keyPath: keyPath, in: scope)
    case .aggregate(let terms): return .list(try terms.map { try operand($0, in: scope) })
    case .variable(let name): return try operand(variable: name, rest: nil, in: scope)
    case .keyPathOf(.variable(let name), let keyPath):
      return try operand(variable: name, rest: keyPath, in: scope)
    case .subquery(let source, let variable, let condition):
      return .members(try subquery(source, variable, condition, in: scope))
    case .keyPathOf(.subquery(let source, let variable, let condition), let keyPath):
      var members = try subquery(source, variable, condition, in: scope)
      members.rest = keyPath.split(separator: ".").map(String.init)
      return try membersOrAggregate(members, in: scope)
    case .function(let function, let arguments):
      return try self.function(function, arguments, in: scope)
    case .message(let selector, _, _): throw unsupported("FUNCTION(…, \"\(selector)\")")
    case .ternary(let condition, let yes, let no):
      return try choice(condition, yes, no, in: scope)
    case .unusable(let reason): throw StoreError(.invalidRequest, reason)
    case .keyPathOf, .assignment, .setOperation, .anyKey, .symbolicIndex, .fetch, .opaque:
      throw unsupported("the expression \(term.format)")
    }
  }

  private func operand(keyPath: String, in scope: Scope) throws -> Operand {
    let root = scope.root
    if let known = named[keyPath], root.entity.slotByName[keyPath] == nil {
      note(known.0, named: keyPath)
      return .column(known.0, known.1)
    }
    let found = try keyPathOperand(
      keyPath.split(separator: ".", omittingEmptySubsequences: false),
      in: root
    )
    if case .column(let piece, _) = found { note(piece) }
    return found
  }

  /// Returns the operand of a key path that starts at the rows of `scope`; without keys, the operand is the
  /// object of each row.
  func keyPathOperand(_ keys: some Sequence<some StringProtocol>, in scope: Scope) throws -> Operand
  {
    let keys = keys.map { String($0) }
    if keys.isEmpty { return reference(alias: scope.alias, column: nil, entity: scope.entity) }
    switch try scope.resolve(keys, keys.joined(separator: ".")) {
    case .attribute(let alias, let column):
      return .column(column.selected.piece(alias, dialect), ValueType(column))
    case .object(let alias, let column, let entity):
      return reference(alias: alias, column: column, entity: entity)
    case .members(let source): return try membersOrAggregate(source, in: scope)
    case .entity(let alias, let entity, let isName):
      return isName
        ? entityName(alias, entity) : .column("\(column: columns.entity, of: alias)", .entity)
    }
  }

  private func entityName(_ alias: String, _ entity: EntityDefinition) -> Operand {
    var piece: SQL = "CASE \(column: columns.entity, of: alias)"
    for index in entity.family {
      let number = layout.entities[index].number
      let name = layout.model.entities[index].name
      piece.append(" WHEN \(bind: .integer(number)) THEN \(bind: .text(name))")
    }
    piece.append(" END")
    return .column("(\(piece))", .text)
  }

  private func membersOrAggregate(_ source: MemberSource, in scope: Scope) throws -> Operand {
    guard let at = source.rest.firstIndex(where: { $0.hasPrefix("@") }) else {
      return .members(source)
    }
    return try operatorValue(of: source, at: at, in: scope)
  }

  private func reference(
    alias: String,
    column: PropertyColumn?,
    entity: EntityDefinition
  ) -> Operand {
    let piece = column.map { SQL.column($0.name, of: alias) } ?? primaryKey(alias)
    return .column(piece, .reference(root: entity.root))
  }

  private func operand(variable: String, rest: String?, in scope: Scope) throws -> Operand {
    var candidate: Scope? = scope
    while let current = candidate {
      if current.variable == variable {
        return try keyPathOperand(rest.map { $0.split(separator: ".") } ?? [], in: current)
      }
      candidate = current.parent
    }
    if rest == nil, let known = named[variable] {
      note(known.0, named: variable)
      return .column(known.0, known.1)
    }
    throw StoreError(.invalidRequest, "Can't get value for variable $\(variable)")
  }

  private func subquery(
    _ term: Term,
    _ variable: String,
    _ condition: Condition,
    in scope: Scope
  ) throws -> MemberSource {
    guard case .members(var source) = try operand(term, in: scope) else {
      throw unsupported("SUBQUERY over \(term.format), which is not a to-many relationship")
    }
    if !source.rest.isEmpty {
      throw unsupported(
        "SUBQUERY over \(term.format), a key path that continues after a to-many relationship"
      )
    }
    let inner = source.chosen?.scope ?? Scope(source.path.entity, compiler: self, parent: scope)
    let outer = inner.variable
    inner.variable = variable
    defer { inner.variable = outer }
    var piece: SQL = "(\(try exactly { try self.condition(condition, in: inner) }))"
    if let chosen = source.chosen { piece = "\(chosen.condition) AND \(piece)" }
    source.chosen = (inner, piece)
    return source
  }

  private func choice(
    _ condition: Condition,
    _ yes: Term,
    _ no: Term,
    in scope: Scope
  ) throws -> Operand {
    let test = try exactly { try self.condition(condition, in: scope) }
    let one = try ternaryBranch(yes, in: scope)
    let other = try ternaryBranch(no, in: scope)
    let type: ValueType
    switch (one.type, other.type) {
    case (nil, nil): return .constant(.null)
    case (let known?, nil), (nil, let known?): type = known
    case (let first?, let second?) where first == second: type = first
    case (let first?, let second?) where first.isWhole && second.isNumber && second != .decimal,
      (let first?, let second?) where second.isWhole && first.isNumber && first != .decimal:
      type = .number
    case (let first?, let second?):
      throw unsupported("TERNARY between \(first.kindName) and \(second.kindName)")
    }
    for (branch, term) in [(one, yes), (other, no)] {
      if let type = branch.type, !type.isPlain {
        throw unsupported("TERNARY with \(term.format), a computed number that can be NaN")
      }
    }
    let chosen = try asked { () throws(Unsayable) in
      try dialect.choice(if: test, one, other, type: type)
    }
    return .column(chosen.piece, chosen.type)
  }

  /// Returns the SQL and the type of a branch.
  ///
  /// The type of null is nil, because null fits a branch of any type.
  private func ternaryBranch(
    _ term: Term,
    in scope: Scope
  ) throws -> (piece: SQL, type: ValueType?) {
    switch try operand(term, in: scope) {
    case .column(let piece, let type):
      if type == .any || type == .sealed || type == .entity {
        throw unsupported("TERNARY with \(term.format), which is \(type.kindName)")
      }
      return (piece, type)
    case .constant(.null): return ("NULL", nil)
    case .constant(let value):
      guard let exact = dialect.exact(value), let type = ValueType(value) else {
        throw unsupported("TERNARY with the constant \(term.format), which SQL cannot hold exactly")
      }
      return (exact, type)
    case .list, .members: throw unsupported("TERNARY with the collection \(term.format)")
    }
  }

  // MARK: Constants

  /// Returns a constant as a column of `type` holds it, for a comparison in the dialect; nil if the constant
  /// never equals a value of the column.
  ///
  /// Objects and entities become their numbers.
  /// - Throws: `.inexpressible` for a column that SQL cannot read.
  func stored(_ value: Value, _ type: ValueType) throws -> Value? {
    switch (type, value) {
    case (.sealed, _):
      throw unsupported("a comparison of archived or external data with \(value.kindName)")
    case (.reference(let root), .key(let key)): return number(key, root: root).map(Value.int)
    case (.reference(let root), .object(let object)):
      return object.objectKey.flatMap { number($0, root: root) }.map(Value.int)
    case (.reference, _): return nil
    case (.entity, _):
      guard let name = value.entityName, let entity = layout.model.entity(named: name) else {
        return nil
      }
      return .int(layout.entities[entity.index].number)
    default: return value
    }
  }
}

extension Comparison {
  /// The comparison as error texts show it: a predicate format without options, and with `…` in place of
  /// constants and lists, which can be long.
  fileprivate var outline: String {
    func side(_ term: Term) -> String {
      switch term {
      case .constant, .aggregate: "…"
      default: term.format
      }
    }
    let name =
      switch modifier {
      case .direct: ""
      case .any: "ANY "
      case .all: "ALL "
      }
    return "\(name)\(side(left)) \(relation.spelling) \(side(right))"
  }
}
