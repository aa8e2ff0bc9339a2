// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataGraph

/// What a results list reports, case by case.
struct ResultsListTests {
  /// A row named by a letter, in a section named by a word.
  final class Card {
    let name: String
    var section: String
    var rank: Int
    init(_ name: String, _ section: String, _ rank: Int) {
      self.name = name
      self.section = section
      self.rank = rank
    }
  }

  let rules: ResultsRules
  init() {
    rules = ResultsRules(
      matches: { Self.card($0).rank >= 0 },
      compare: { left, right in
        let left = Self.card(left)
        let right = Self.card(right)
        if left.section != right.section { return left.section < right.section ? -1 : 1 }
        return left.rank - right.rank
      },
      sectionName: { Self.card($0).section }
    )
  }

  // Every object of these lists is a `Card`.
  static func card(_ object: AnyObject) -> Card { unsafeDowncast(object, to: Card.self) }

  static func text(_ changes: ResultChanges) -> [String] {
    func path(_ path: ResultPath?) -> String { path.map { "\($0.section).\($0.row)" } ?? "-" }
    return changes.deletedSections.map { "delete section \($0.index) \($0.section.name)" }
      + changes.insertedSections.map { "insert section \($0.index) \($0.section.name)" }
      + changes.rows.map { "\($0.kind) \(card($0.object).name) \(path($0.old)) \(path($0.new))" }
  }

  func list() throws -> (ResultsList, [Card]) {
    let cards = [
      Card("a", "A", 10), Card("b", "A", 20), Card("c", "A", 30), Card("d", "B", 10),
      Card("e", "C", 10), Card("f", "C", 20),
    ]
    return (try ResultsList(sorted: cards, rules: rules), cards)
  }

  @Test("A changed row that keeps its place is an update, not a move")
  func update() throws {
    let (list, cards) = try list()
    cards[1].rank = 25
    #expect(Self.text(list.apply(touched: [cards[1]])) == ["update b 0.1 0.1"])
  }

  @Test("Rows that shift because others came or went are not reported")
  func shifts() throws {
    let (list, cards) = try list()
    cards[0].rank = -1
    cards[2].rank = 31
    let new = Card("g", "C", 5)
    #expect(
      Self.text(list.apply(touched: [cards[0], new, cards[2]]))
        == ["delete a 0.0 -", "insert g - 2.0", "update c 0.2 0.1"]
    )
  }

  @Test("Of two rows that exchange their places one is a move and one an update")
  func exchange() throws {
    let (list, cards) = try list()
    swap(&cards[0].rank, &cards[1].rank)
    #expect(
      Self.text(list.apply(touched: [cards[0], cards[1]]))
        == ["move b 0.1 0.0", "update a 0.0 0.1"]
    )
    #expect(list.objects.map { Self.card($0).name } == ["b", "a", "c", "d", "e", "f"])
  }

  @Test("A row that changes its section is a move, with the sections that came and went before it")
  func sections() throws {
    let (list, cards) = try list()
    cards[3].section = "D"
    #expect(
      Self.text(list.apply(touched: [cards[3]]))
        == ["delete section 1 B", "insert section 2 D", "move d 1.0 2.0"]
    )
    #expect(list.sections.map(\.name) == ["A", "C", "D"])
    #expect(list.sections.map(\.index) == [0, 1, 2])
  }

  @Test("A section whose rows were all touched stays when it keeps its place")
  func touchedSection() throws {
    let (list, cards) = try list()
    #expect(
      Self.text(list.apply(touched: [cards[4], cards[5]])) == [
        "update e 2.0 2.0", "update f 2.1 2.1",
      ]
    )
  }

  @Test("The sections are not counted again while each of them keeps its place")
  func manySections() throws {
    let cards = (0..<1000).map { Card("\($0)", "\(1000 + $0)", 0) }
    let list = try ResultsList(sorted: cards, rules: rules)
    func storage() -> UnsafePointer<ResultsSection>? {
      list.sections.withUnsafeBufferPointer { $0.baseAddress }
    }
    let before = storage()
    for card in cards[10..<20] { card.rank = 7 }
    #expect(list.apply(touched: Array(cards[10..<20])).rows.allSatisfy { $0.kind == .update })
    #expect(storage() == before)
    // A section that comes, and one that leaves its place, do count.
    cards[500].section = "1500a"
    #expect(
      Self.text(list.apply(touched: [cards[500]]))
        == ["delete section 500 1500", "insert section 500 1500a", "move 500 500.0 500.0"]
    )
    #expect(storage() != before)
  }

  @Test("Objects that are neither shown nor were shown give no change")
  func strangers() throws {
    let (list, _) = try list()
    let revision = list.revision
    #expect(list.apply(touched: [Card("x", "A", -1)]).isEmpty)
    #expect(list.apply(touched: []).isEmpty)
    #expect(list.revision == revision)
  }

  @Test("An object named twice is reported once")
  func twice() throws {
    let (list, cards) = try list()
    #expect(Self.text(list.apply(touched: [cards[5], cards[5]])) == ["update f 2.1 2.1"])
  }

  @Test("An object that is gone is deleted without a look at its values, even when it matches")
  func gone() throws {
    let (list, cards) = try list()
    #expect(list.isConcerned(touched: [], gone: [cards[3]]))
    #expect(
      Self.text(list.apply(touched: [cards[3]], gone: [cards[3]]))
        == ["delete section 1 B", "delete d 1.0 -"]
    )
    #expect(!list.isConcerned(touched: [], gone: [cards[3]]))
    #expect(list.isConcerned(touched: [cards[3]]))
  }

  @Test("An empty list without section names has one section, with them none")
  func empty() throws {
    var plain = rules
    plain.sectionName = nil
    #expect(try ResultsList(sorted: [], rules: plain).sections.map(\.count) == [0])
    #expect(try ResultsList(sorted: [], rules: rules).sections.isEmpty)
  }

  @Test("A section that comes back in the sorted objects is an error that names it")
  func outOfOrder() {
    let cards = [Card("a", "A", 1), Card("b", "B", 2), Card("c", "A", 3)]
    let error = #expect(throws: SectionOrderError.self) {
      try ResultsList(sorted: cards, rules: rules)
    }
    #expect(error?.name == "A" && error?.after == "B" && error?.position == 2)
  }

  @Test("The list keeps its objects while it shows them and lets go of them after")
  func lifetimes() throws {
    weak var kept: Card?
    weak var gone: Card?
    let list: ResultsList
    do {
      let (filled, cards) = try self.list()
      list = filled
      kept = cards[0]
      gone = cards[1]
      cards[1].rank = -1
    }
    #expect(kept != nil)
    #expect(gone != nil)
    if let card = gone { #expect(Self.text(list.apply(touched: [card])) == ["delete b 0.1 -"]) }
    #expect(gone == nil)
    #expect(kept != nil)
  }
}
