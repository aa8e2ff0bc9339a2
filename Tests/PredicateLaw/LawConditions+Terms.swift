// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

extension LawConditions {
  mutating func term(_ kind: Kind, _ depth: Int) -> Term {
    switch kind {
    case .number: numberTerm(depth)
    case .text: textTerm(depth)
    case .date: dateTerm(depth)
    default: random.chance(60) ? constant(kind) : path(kind) ?? constant(kind)
    }
  }

  func function(_ function: Function, _ arguments: Term...) -> Term {
    .function(function, arguments)
  }

  func number(_ number: Int) -> Term { .constant(Constant(.int(Int64(number)))) }
  func text(_ text: String) -> Term { .constant(Constant(.text(text))) }

  mutating func constant(_ kind: Kind) -> Term {
    if random.chance(6) { return .constant(Constant(.null)) }
    if kind == .number {
      let type: AttributeType = random.pick([.integer32, .integer32, .double, .decimal, .boolean])
      return .constant(Constant(LawValues.value(type, &random)))
    }
    return .constant(Constant(LawValues.value(kind.type, &random)))
  }

  mutating func list(_ kind: Kind, _ depth: Int) -> Term {
    if random.chance(25) {
      return .aggregate(
        (0..<random.below(4)).map { _ in
          // A to-many there stands for its values.
          random.chance(25) ? manyPath(kind) ?? constant(kind) : term(kind, depth - 1)
        }
      )
    }
    let count = random.chance(20) ? 20 + random.below(10) : random.below(5)
    var values: [Value] = []
    for _ in 0..<count {
      if case .constant(let constant) = constant(kind) { values.append(constant.value) }
    }
    let shape: ValueCollection.Kind = random.pick([.array, .set, .orderedSet])
    return .constant(Constant(.collection(ValueCollection(shape, values))))
  }

  // MARK: Numbers

  mutating func numberTerm(_ depth: Int) -> Term {
    if depth <= 0 || random.chance(55) {
      return random.chance(40) ? constant(.number) : path(.number) ?? constant(.number)
    }
    switch random.below(10) {
    case 0...3:
      let arithmetic = random.pick(ArithmeticFunction.allCases)
      return function(.arithmetic(arithmetic), numberTerm(depth - 1), numberTerm(depth - 1))
    case 4:
      let numeric = NumericFunction.allCases.filter { $0 != .random && $0 != .randomBelow }
      return function(
        random.pick(numeric.map(Function.numeric) + [.noIndex]),
        numberTerm(depth - 1)
      )
    case 5: return function(.text(.length), textTerm(depth - 1))
    case 6: return function(.cast, dateTerm(depth - 1), text("NSNumber"))
    case 7: return choice(.number, depth)
    default: return aggregate(depth) ?? constant(.number)
    }
  }

  private mutating func choice(_ kind: Kind, _ depth: Int) -> Term {
    let kinds: Kind = random.pick([.number, .text])
    let left = path(kinds) ?? constant(kinds)
    let relation: Relation = random.pick([.equal, .notEqual, .lessThan, .greaterThanOrEqual])
    let test = Condition.comparison(Comparison(left, relation, constant(kinds)))
    return .ternary(test, term(kind, depth - 1), term(kind, depth - 1))
  }

  /// A collection operator, an aggregate function, or the count of a subquery.
  mutating func aggregate(_ depth: Int) -> Term? {
    switch random.below(6) {
    case 0:
      guard let many = objectsPath() else { return nil }
      return appended("@count", to: many.term)
    case 1, 2:
      guard let many = objectsPath() else { return nil }
      let paths = attributes(.number, many.entity)
      guard !paths.isEmpty else { return nil }
      var key = random.pick(paths)
      if random.chance(25), let one = toOne(many.entity) {
        let further = attributes(.number, one.entity)
        if !further.isEmpty { key = one.name + "." + random.pick(further) }
      }
      let name = random.pick(["@sum", "@avg", "@min", "@max"])
      return appended("\(name).\(key)", to: many.term)
    case 3:
      guard let many = manyPath(.number) else { return nil }
      let aggregates: [AggregateFunction] = [.sum, .average, .minimum, .maximum, .count]
      return function(.aggregate(random.pick(aggregates)), many)
    case 4:
      guard let many = objectsPath() else { return nil }
      return function(.aggregate(.count), many.term)
    default:
      guard let subquery = subquery(depth) else { return nil }
      if random.chance(25) { return function(.aggregate(.count), subquery.term) }
      let keys = attributes(.number, subquery.entity)
      if random.chance(25), !keys.isEmpty {
        let name = random.pick(["@sum", "@min", "@max", "@avg"])
        return .keyPathOf(subquery.term, "\(name).\(random.pick(keys))")
      }
      return .keyPathOf(subquery.term, "@count")
    }
  }

  func appended(_ keys: String, to term: Term) -> Term {
    switch term {
    case .evaluatedObject: .keyPath(keys)
    case .keyPath(let path): .keyPath(path + "." + keys)
    case .keyPathOf(let base, let path): .keyPathOf(base, path + "." + keys)
    default: .keyPathOf(term, keys)
    }
  }

  private mutating func subquery(_ depth: Int) -> (term: Term, entity: EntityDefinition)? {
    guard let many = objectsPath() else { return nil }
    let name = "x\(fresh())"
    let condition = within(name, many.entity) { $0.inner(depth: max(0, depth - 1)) }
    return (.subquery(many.term, variable: name, condition), many.entity)
  }

  // MARK: Texts and dates

  mutating func textTerm(_ depth: Int) -> Term {
    if depth <= 0 || random.chance(75) {
      return random.chance(45) ? constant(.text) : path(.text) ?? constant(.text)
    }
    switch random.below(4) {
    case 0, 1:
      let functions = TextFunction.allCases.filter { $0 != .length }.map(Function.text)
      return function(random.pick(functions + [.noIndex]), textTerm(depth - 1))
    case 2: return choice(.text, depth)
    default:
      let kind: Kind = random.pick([.number, .date, .mark, .page, .flag])
      return function(.cast, path(kind) ?? constant(kind), text("NSString"))
    }
  }

  mutating func dateTerm(_ depth: Int) -> Term {
    if depth <= 0 || random.chance(85) {
      return random.chance(45) ? constant(.date) : path(.date) ?? constant(.date)
    }
    if random.chance(50) { return choice(.date, depth) }
    return function(.cast, numberTerm(depth - 1), text("NSDate"))
  }

  // MARK: Key paths

  func attributes(_ kind: Kind, _ entity: EntityDefinition) -> [String] {
    entity.properties.filter { $0.attribute.flatMap { Kind($0.type) } == kind }.map(\.name)
  }

  private mutating func toOne(
    _ entity: EntityDefinition
  ) -> (name: String, entity: EntityDefinition)? {
    let ones = entity.properties.filter(\.isToOne)
    guard !ones.isEmpty else { return nil }
    let property = random.pick(ones)
    guard let relationship = property.relationship else { return nil }
    return (property.name, world.model.entities[relationship.destination])
  }

  private mutating func toMany(
    _ entity: EntityDefinition
  ) -> (name: String, entity: EntityDefinition)? {
    let many = entity.properties.filter(\.isToMany)
    guard !many.isEmpty else { return nil }
    let property = random.pick(many)
    guard let relationship = property.relationship else { return nil }
    return (property.name, world.model.entities[relationship.destination])
  }

  private func term(_ subject: Subject, _ keys: [String]) -> Term {
    let path = keys.joined(separator: ".")
    guard let variable = subject.variable else {
      return path.isEmpty ? .evaluatedObject : .keyPath(path)
    }
    return path.isEmpty ? .variable(variable) : .keyPathOf(.variable(variable), path)
  }

  /// Some to-ones from the innermost subject, or from one further out.
  private mutating func walk() -> (Subject, [String], EntityDefinition) {
    let subject = random.chance(75) ? innermost : anySubject
    var keys: [String] = []
    var entity = subject.entity
    while keys.count < 2, random.chance(30), let one = toOne(entity) {
      keys.append(one.name)
      entity = one.entity
    }
    return (subject, keys, entity)
  }

  /// A key path to a single value.
  mutating func path(_ kind: Kind) -> Term? {
    for _ in 0..<3 {
      let (subject, keys, entity) = walk()
      let names = attributes(kind, entity)
      if !names.isEmpty { return term(subject, keys + [random.pick(names)]) }
    }
    return nil
  }

  /// A key path to an object.
  mutating func objectPath() -> (term: Term, entity: EntityDefinition)? {
    let (subject, keys, entity) = walk()
    return (term(subject, keys), entity)
  }

  /// A key path to the members of a to-many.
  mutating func objectsPath() -> (term: Term, entity: EntityDefinition)? {
    for _ in 0..<3 {
      let (subject, keys, entity) = walk()
      if let many = toMany(entity) { return (term(subject, keys + [many.name]), many.entity) }
    }
    return nil
  }

  /// A key path over to-manys to values.
  mutating func manyPath(_ kind: Kind) -> Term? {
    for _ in 0..<3 {
      var (subject, keys, entity) = walk()
      guard let many = toMany(entity) else { continue }
      keys.append(many.name)
      entity = many.entity
      if random.chance(25), let further = random.chance(50) ? toMany(entity) : toOne(entity) {
        keys.append(further.name)
        entity = further.entity
      }
      let names = attributes(kind, entity)
      if !names.isEmpty { return term(subject, keys + [random.pick(names)]) }
    }
    return nil
  }

  /// An object, as itself or as its key; now and then one that was never saved.
  mutating func object(_ entity: EntityDefinition) -> Constant {
    if random.chance(8) {
      return Constant(.key(.temporary(entity: entity.index, number: Int64(random.below(4)))))
    }
    var candidates = world.candidates(entity, subentities: true)
    if random.chance(10) || candidates.isEmpty { candidates = Array(world.objects.joined()) }
    let object = random.pick(candidates)
    if random.chance(40), let key = object.objectKey { return Constant(.key(key)) }
    return Constant(.object(object))
  }
}
