// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// Random conditions about a world, from the whole language; most are well typed.
struct LawConditions {
  /// What a term can be about: the fetched object, or a subquery's variable.
  struct Subject {
    /// Nil for the fetched object.
    let variable: String?
    let entity: EntityDefinition
  }
  enum Kind: CaseIterable {
    case number, text, date, flag, mark, page, blob
    init?(_ type: AttributeType) {
      switch type {
      case .integer16, .integer32, .integer64, .double, .float, .decimal: self = .number
      case .string: self = .text
      case .date: self = .date
      case .boolean: self = .flag
      case .uuid: self = .mark
      case .uri: self = .page
      case .binaryData: self = .blob
      default: return nil
      }
    }
    var type: AttributeType {
      switch self {
      case .number: .integer32
      case .text: .string
      case .date: .date
      case .flag: .boolean
      case .mark: .uuid
      case .page: .uri
      case .blob: .binaryData
      }
    }
  }

  let world: LawWorld
  var random: LawRandom
  private var subjects: [Subject] = []
  private var variables = 0

  init(_ world: LawWorld, _ random: LawRandom) {
    self.world = world
    self.random = random
  }

  var innermost: Subject { subjects[subjects.count - 1] }
  var anySubject: Subject {
    mutating get { random.pick(subjects) }
  }

  /// A number for the name of a variable.
  mutating func fresh() -> Int {
    variables += 1
    return variables
  }

  /// What `body` makes while a variable stands for objects of `entity`.
  mutating func within(
    _ variable: String,
    _ entity: EntityDefinition,
    _ body: (inout LawConditions) -> Condition
  ) -> Condition {
    subjects.append(Subject(variable: variable, entity: entity))
    defer { subjects.removeLast() }
    return body(&self)
  }

  mutating func inner(depth: Int) -> Condition { condition(depth: depth) }

  // MARK: Conditions

  mutating func condition(for entity: EntityDefinition) -> Condition {
    subjects = [Subject(variable: nil, entity: entity)]
    variables = 0
    let condition = condition(depth: 3)
    return random.chance(4) ? deepened(condition, levels: 5 + random.below(60)) : condition
  }

  /// The condition below so many others, which the engine's parser may not follow.
  private mutating func deepened(_ condition: Condition, levels: Int) -> Condition {
    var result = condition
    for _ in 0..<levels {
      switch random.below(4) {
      case 0, 1: result = .not(result)
      case 2: result = .and([leaf(depth: 0), result])
      default: result = .or([result, leaf(depth: 0)])
      }
    }
    return result
  }

  private mutating func condition(depth: Int) -> Condition {
    if depth == 0 || random.chance(50) { return leaf(depth: depth) }
    switch random.below(5) {
    case 0: return .not(condition(depth: depth - 1))
    case 1, 2:
      return .and((0..<2 + random.below(2)).map { _ in condition(depth: depth - 1) })
    case 3: return .or((0..<2 + random.below(2)).map { _ in condition(depth: depth - 1) })
    default: return random.chance(10) ? .constant(random.chance(50)) : leaf(depth: depth)
    }
  }

  private mutating func leaf(depth: Int) -> Condition {
    if random.chance(4) { return illTyped(depth: depth) }
    switch random.below(24) {
    case 0...5: return onText(textTerm(depth), .direct, depth)
    case 6...9: return onNumber(numberTerm(depth), .direct, depth)
    case 10: return ordered(.date, dateTerm(depth), .direct, depth)
    case 11: return plain(random.pick([.flag, .mark, .page, .blob]), .direct, depth)
    case 12...15: return quantified(depth)
    case 16: return counted(depth)
    case 17, 18: return onObject(depth)
    case 19: return membership(depth)
    case 20: return nothing(depth)
    case 21: return onEntity(depth)
    case 22: return gathered(depth)
    default: return sized(depth)
    }
  }

  private func compare(
    _ left: Term,
    _ relation: Relation,
    _ right: Term,
    _ modifier: Comparison.Modifier = .direct,
    _ options: TextOptions = []
  ) -> Condition {
    let comparison = Comparison(left, relation, right, modifier: modifier, options: options)
    return .comparison(comparison)
  }

  private static let orders: [Relation] = [
    .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .equal, .notEqual,
  ]

  private mutating func options() -> TextOptions {
    random.pick([
      [], [], [], [.caseInsensitive], [.diacriticInsensitive],
      [.caseInsensitive, .diacriticInsensitive], [.normalized], [.caseInsensitive, .normalized],
      [.localeSensitive], [.caseInsensitive, .localeSensitive],
    ])
  }

  private mutating func onText(
    _ left: Term,
    _ modifier: Comparison.Modifier,
    _ depth: Int
  ) -> Condition {
    let options = options()
    switch random.below(10) {
    case 0...3:
      let right = random.chance(70) ? constant(.text) : textTerm(depth)
      let relation = random.pick([.contains, .beginsWith, .endsWith] as [Relation])
      if modifier == .direct, random.chance(15) {
        return compare(right, relation, left, .direct, options)
      }
      return compare(left, relation, right, modifier, options)
    case 4:
      return compare(left, .like, text(random.pick(LawValues.patterns)), modifier, options)
    case 5:
      return compare(left, .matches, text(random.pick(LawValues.expressions)), modifier, options)
    case 6:
      return compare(left, .in, list(.text, depth), modifier, options)
    case 7:
      if random.chance(30) {
        return compare(
          left,
          .between,
          .aggregate([constant(.text), constant(.text)]),
          modifier,
          options
        )
      }
      return compare(left, .like, textTerm(depth), modifier, options)
    default: return compare(left, random.pick(Self.orders), textTerm(depth), modifier, options)
    }
  }

  private mutating func onNumber(
    _ left: Term,
    _ modifier: Comparison.Modifier,
    _ depth: Int
  ) -> Condition {
    ordered(.number, left, modifier, depth)
  }

  private mutating func ordered(
    _ kind: Kind,
    _ left: Term,
    _ modifier: Comparison.Modifier,
    _ depth: Int
  ) -> Condition {
    switch random.below(10) {
    case 0:
      return compare(
        left,
        .between,
        .aggregate([term(kind, depth - 1), term(kind, depth - 1)]),
        modifier
      )
    case 1, 2: return compare(left, .in, list(kind, depth), modifier)
    default: return compare(left, random.pick(Self.orders), term(kind, depth - 1), modifier)
    }
  }

  private mutating func plain(
    _ kind: Kind,
    _ modifier: Comparison.Modifier,
    _ depth: Int
  ) -> Condition {
    let left = path(kind) ?? constant(kind)
    if random.chance(25) { return compare(left, .in, list(kind, depth), modifier) }
    let relation: Relation =
      random.chance(70) ? random.pick([.equal, .notEqual]) : random.pick(Self.orders)
    return compare(left, relation, term(kind, depth - 1), modifier)
  }

  /// ANY and ALL over a to-many, or over an aggregate.
  private mutating func quantified(_ depth: Int) -> Condition {
    let modifier: Comparison.Modifier = random.pick([.any, .all])
    var condition: Condition
    if random.chance(10) {
      let kind: Kind = random.pick([.number, .text])
      let left = Term.aggregate((0..<random.below(3)).map { _ in term(kind, 0) })
      condition = compare(left, random.pick(Self.orders), term(kind, 0), modifier)
    } else {
      let kind: Kind = random.pick([.number, .number, .text, .text, .date, .flag, .mark])
      guard let left = manyPath(kind) else { return nothing(depth) }
      switch kind {
      case .text: condition = onText(left, modifier, depth)
      case .number, .date: condition = ordered(kind, left, modifier, depth)
      default:
        condition = compare(left, random.pick([.equal, .notEqual]), constant(kind), modifier)
      }
    }
    if random.chance(20) { condition = .not(condition) }
    return condition
  }

  private mutating func counted(_ depth: Int) -> Condition {
    guard let count = aggregate(depth) else { return nothing(depth) }
    return compare(count, random.pick(Self.orders), number(random.below(4)))
  }

  private mutating func sized(_ depth: Int) -> Condition {
    guard let many = objectsPath() else { return nothing(depth) }
    let size = Term.function(.element, [many.term, .symbolicIndex(.size)])
    return compare(size, random.pick(Self.orders), number(random.below(3)))
  }

  /// `key path == nil` and its like.
  private mutating func nothing(_ depth: Int) -> Condition {
    let kind: Kind = random.pick(Kind.allCases)
    let left = path(kind) ?? term(kind, depth - 1)
    return compare(left, random.pick(Self.orders), .constant(Constant(.null)))
  }

  /// The entity of an object, or its name.
  private mutating func onEntity(_ depth: Int) -> Condition {
    let names = world.model.entities.map { Value.text($0.name) }
    let entities = world.model.entities.map { Value.object(KeyedEntity($0)) }
    if random.chance(25), let many = objectsPath() {
      let left = appended("entity.name", to: many.term)
      let name = Term.constant(Constant(random.pick(names)))
      return compare(left, .equal, name, random.pick([.any, .all]))
    }
    guard let object = objectPath() else { return nothing(depth) }
    let isName = random.chance(50)
    let left = appended(isName ? "entity.name" : "entity", to: object.term)
    let values = isName ? names : entities
    if random.chance(30) {
      let list = ValueCollection(.array, values.filter { _ in random.chance(50) })
      return compare(left, .in, .constant(Constant(.collection(list))))
    }
    if isName, random.chance(30) { return compare(left, .contains, text("a"), .direct, options()) }
    if random.chance(20), let other = objectPath() {
      let right = appended(isName ? "entity.name" : "entity", to: other.term)
      return compare(left, random.pick([.equal, .notEqual]), right)
    }
    let value = Term.constant(Constant(random.pick(values)))
    return compare(left, random.pick([.equal, .notEqual]), value)
  }

  /// Many comparisons of one key path with constants, which are gathered into a list.
  private mutating func gathered(_ depth: Int) -> Condition {
    let kind: Kind = random.pick([.number, .text, .date, .mark])
    guard let left = path(kind) else { return nothing(depth) }
    let isAny = random.chance(50)
    let relation: Relation = isAny ? .equal : .notEqual
    var parts = (0..<5 + random.below(25)).map { _ in compare(left, relation, constant(kind)) }
    if random.chance(30) { parts.insert(leaf(depth: 0), at: random.below(parts.count)) }
    return isAny ? .or(parts) : .and(parts)
  }

  private mutating func onObject(_ depth: Int) -> Condition {
    guard var left = objectPath() else { return nothing(depth) }
    if random.chance(20) { left.term = appended("objectID", to: left.term) }
    if random.chance(30) {
      let members = (0..<random.below(4)).map { _ in object(left.entity) }
      if random.chance(50) {
        let list = Value.collection(ValueCollection(.set, members.map(\.value)))
        return compare(left.term, .in, .constant(Constant(list)))
      }
      return compare(left.term, .in, .aggregate(members.map { .constant($0) }))
    }
    let right: Term
    if random.chance(25), let other = objectPath() {
      right = other.term
    } else {
      right = random.chance(15) ? .constant(Constant(.null)) : .constant(object(left.entity))
    }
    return compare(left.term, random.pick([.equal, .notEqual]), right)
  }

  /// IN and CONTAINS over relationships.
  private mutating func membership(_ depth: Int) -> Condition {
    if random.chance(50), let many = objectsPath() {
      let element: Term
      if random.chance(40), let own = objectPath() {
        element = own.term
      } else {
        element = .constant(object(many.entity))
      }
      return random.chance(50)
        ? compare(many.term, .contains, element) : compare(element, .in, many.term)
    }
    let kind: Kind = random.pick([.text, .number])
    guard let many = manyPath(kind) else { return nothing(depth) }
    let element = term(kind, 1)
    let options = kind == .text ? options() : []
    return random.chance(50)
      ? compare(many, .contains, element, .direct, options)
      : compare(element, .in, many, .direct, options)
  }

  private mutating func illTyped(depth: Int) -> Condition {
    let kinds = Kind.allCases
    let left =
      random.chance(20) ? (manyPath(.text) ?? constant(.text)) : term(random.pick(kinds), 1)
    let relations = Self.orders + [.contains, .beginsWith, .like, .in, .between]
    if random.chance(25) { return compare(left, .in, list(random.pick(kinds), 1)) }
    return compare(left, random.pick(relations), term(random.pick(kinds), 1))
  }
}
