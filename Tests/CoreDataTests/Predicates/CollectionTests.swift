// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

private struct Song: KeyValueReadable, Hashable {
  var title: String
  var plays: Int
  func value(forKey key: String) throws -> Any? {
    switch key {
    case "title": title
    case "plays": plays
    case "shout": title.uppercased()
    default: throw UndefinedKey(key)
    }
  }
  static var keyPathNames: [AnyKeyPath: String] { [\Song.title: "title", \Song.plays: "plays"] }
}

private struct Plain { var title: String }

/// Filtering, sorting and reading by key of collections and of types of the program's own.
@Suite struct CollectionTests {
  private let songs = [
    Song(title: "b", plays: 2), Song(title: "A", plays: 9), Song(title: "c", plays: 5),
  ]

  @Test func `Types that are read by key are filtered and sorted`() {
    let loud = NSPredicate(format: "shout IN {'A', 'B'}")
    #expect(songs.filtered(using: loud).map(\.title) == ["b", "A"])
    #expect(Set(songs).filtered(using: loud).count == 2)
    var kept = songs
    kept.filter(using: NSPredicate(format: "plays > 2"))
    #expect(kept.map(\.plays) == [9, 5])
    let byPlays = songs.sorted(using: [NSSortDescriptor(keyPath: \Song.plays, ascending: false)])
    #expect(byPlays.map(\.plays) == [9, 5, 2])
    let byTitle = [
      NSSortDescriptor(key: "title", ascending: true, selector: "caseInsensitiveCompare:")
    ]
    #expect(songs.sorted(using: byTitle).map(\.title) == ["A", "b", "c"])
    #expect([Plain(title: "x")].filtered(using: NSPredicate(format: "title == 'x'")).count == 1)
    #expect(NSPredicate(format: "ANY songs.plays > 8").evaluate(with: ["songs": songs]))
  }

  @Test func `Blocks see the program's own values, wherever they stand in a tree`() {
    let block = NSPredicate { object, _ in (object as? Song)?.plays == 9 || object is Plain }
    let tree = NSPredicate(format: "%@ AND title != nil", argumentArray: [block])
    #expect(songs.filtered(using: tree).map(\.title) == ["A"])
    #expect(tree.evaluate(with: Plain(title: "x")))
  }

  @Test func `Foundation's collections are filtered and sorted`() {
    let rows = [["n": 3], ["n": 1], ["n": 2]]
    let predicate = NSPredicate(format: "n > 1")
    let order = [NSSortDescriptor(key: "n", ascending: true)]
    func numbers(_ any: [Any]) -> [Int] { any.compactMap { ($0 as? [String: Int])?["n"] } }
    #expect(numbers(NSArray(array: rows).filtered(using: predicate)) == [3, 2])
    #expect(numbers(NSArray(array: rows).sortedArray(using: order)) == [1, 2, 3])
    let array = NSMutableArray(array: rows)
    array.filter(using: predicate)
    array.sort(using: order)
    #expect(numbers(Array(array)) == [2, 3])
    let numberSet = NSSet(array: [1, 2, 3, 4])
    #expect(numberSet.filtered(using: NSPredicate(format: "SELF > 2")).count == 2)
    #expect(
      numberSet.sortedArray(using: [NSSortDescriptor(key: "self", ascending: false)]) as? [Int]
        == [4, 3, 2, 1]
    )
    let set = NSMutableSet(array: [1, 2, 3])
    set.filter(using: NSPredicate(format: "SELF != 2"))
    #expect(set.count == 2)
    let ordered = NSMutableOrderedSet(array: [3, 1, 2])
    #expect(ordered.filtered(using: NSPredicate(format: "SELF < 3")).array as? [Int] == [1, 2])
    ordered.filter(using: NSPredicate(format: "SELF > 1"))
    ordered.sort(using: [NSSortDescriptor(key: nil, ascending: true)])
    #expect(ordered.array as? [Int] == [2, 3])
  }

  @Test func `Collections are read by key, with operators`() {
    let rows = NSArray(array: [["n": 3], ["n": 1], ["n": 2]])
    #expect(rows.value(forKey: "n") as? [Int] == [3, 1, 2])
    #expect(rows.value(forKeyPath: "@sum.n") as? Int == 6)
    #expect(rows.value(forKey: "@count") as? Int == 3)
    #expect(NSSet(array: [1, 2]).value(forKeyPath: "@max.self") as? Int == 2)
    let dictionary: NSDictionary = ["a": ["b": 4]]
    #expect(dictionary.value(forKeyPath: "a.b") as? Int == 4)
    #expect([["n": 1], ["n": 5]].value(forKeyPath: "@avg.n") as? Double == 3)
  }

  @Test func `Objects of any class are read by key, as predicates read them`() throws {
    class Shape: NSObject { let sides = 4 }
    final class Square: Shape {
      let width = 2.5
      let inner: Shape? = nil
      let others = [Shape(), Shape()]
    }
    let square = Square()
    let object: NSObject = square
    #expect(object.value(forKey: "width") as? Double == 2.5)
    #expect(object.value(forKey: "sides") as? Int == 4)
    #expect(square.value(forKeyPath: "inner.sides") == nil)
    #expect(square.value(forKeyPath: "others.@sum.sides") as? Int == 8)
    let values = square.dictionaryWithValues(forKeys: ["sides", "inner"])
    #expect(values["sides"] as? Int == 4 && values["inner"] is NSNull)
    let array: NSObject = NSArray(array: [Shape(), Square()])
    #expect(array.value(forKeyPath: "@count") as? Int == 2)
  }

  @Test func `A managed object that is known as an object of any class is read as itself`() throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    let author = stack.make("Author", ["name": "Ann"])
    let book: NSObject = stack.make("Book", ["title": "a", "author": author])
    #expect(book.value(forKey: "title") as? String == "a")
    #expect(book.value(forKeyPath: "author.name") as? String == "Ann")
    #expect(book.dictionaryWithValues(forKeys: ["title"])["title"] as? String == "a")
  }

  @Test func `An object without the key stops the program`() async {
    await #expect(processExitsWith: .failure) { _ = NSObject().value(forKey: "nothing") }
  }
}
