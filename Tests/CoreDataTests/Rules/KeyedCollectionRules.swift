// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Key-value coding of managed objects beyond single values: §13, “Key-Value Coding Programming Guide”.
@Suite struct KeyedCollectionRules {
  /// A node `a` with the child `b`, each with things `x` and `y`.
  private func family(_ web: WebStack) throws -> (a: Node, b: Node) {
    let (a, b) = (try web.node("a"), try web.node("b"))
    b.parent = a
    for node in [a, b] {
      node.items = NSOrderedSet(array: ["x", "y"].map(web.thing))
    }
    return (a, b)
  }

  private func names(_ members: NSArray) -> [String] {
    members.compactMap { ($0 as? NSManagedObject)?.value(forKey: "name") as? String }
  }

  @Test("KVC a mutable array follows an ordered relationship, and changes it with its inverse")
  func relationshipArray() throws {
    let web = try WebStack()
    let node = try family(web).a
    let array = node.mutableArrayValue(forKey: "items")
    #expect(names(array) == ["x", "y"] && array.count == 2)
    let (first, last) = (web.thing("0"), web.thing("z"))
    array.insert(first, at: 0)
    array.add(last)
    #expect(names(array) == ["0", "x", "y", "z"] && first.value(forKey: "owner") as? Node === node)
    array.removeObject(at: 1)
    array.removeLastObject()
    #expect(node.items.map { names($0.array as NSArray) } == ["0", "y"])
    #expect(last.value(forKey: "owner") == nil)
    array.replaceObject(at: 0, with: last)
    #expect(names(array) == ["z", "y"] && first.value(forKey: "owner") == nil)
    node.removeFromItems(last)
    #expect(names(array) == ["y"], "the array follows")
    array.setArray([first, last])
    #expect(names(array) == ["0", "z"])
    array.removeAllObjects()
    #expect(node.items?.count == 0 && array.count == 0)
  }

  @Test("KVC a mutable array sets an attribute whose value is an array, and keeps the array's kind")
  func attributeArray() throws {
    let web = try WebStack()
    let node = try web.node("a")
    let array = node.mutableArrayValue(forKey: "live")
    #expect(array.count == 0)
    array.add("one")
    array.insert("two", at: 0)
    #expect(node.value(forKey: "live") as? [String] == ["two", "one"])
    node.setValue(["a", "b", "c"], forKey: "live")
    #expect(array.count == 3 && array.object(at: 1) as? String == "b")
    array.replaceObject(at: 1, with: "B")
    array.removeObject(at: 0)
    #expect(node.value(forKey: "live") as? [String] == ["B", "c"])
    node.setValue(NSArray(array: [1, 2]), forKey: "live")
    array.removeLastObject()
    #expect((node.value(forKey: "live") as? NSArray)?.count == 1)
    array.setArray(["x"])
    #expect(array.firstObject as? String == "x" && node.hasChanges)
    array.removeAllObjects()
    #expect((node.value(forKey: "live") as? NSArray)?.count == 0)
  }

  @Test("KVC mutable collections are found at the end of a path of to-ones")
  func paths() throws {
    let web = try WebStack()
    let (a, b) = try family(web)
    let thing = web.thing("new")
    b.mutableArrayValue(forKeyPath: "parent.items").add(thing)
    #expect(a.items?.lastObject as? NSManagedObject === thing)
    b.mutableOrderedSetValue(forKeyPath: "parent.items").remove(thing)
    #expect(a.items?.count == 2)
    let other = try web.node("c")
    b.mutableSetValue(forKeyPath: "parent.children").add(other)
    #expect(other.parent === a)
    a.mutableSetValue(forKeyPath: "children").remove(other)
    #expect(other.parent == nil)
    b.mutableArrayValue(forKeyPath: "live").add(1)
    #expect((b.value(forKey: "live") as? NSArray)?.count == 1)
  }

  @Test(
    "KVC a collection that does not exist stops the program",
    arguments: ["name", "children", "nothing", "parent.items"]
  )
  func noCollection(key: String) async {
    await #expect(processExitsWith: .failure, "\(key)") { [key = key as String] in
      let web = try WebStack()
      let node = try web.node("a")
      _ = node.mutableArrayValue(forKeyPath: key)
    }
  }

  @Test("KVC an attribute whose value is no array stops the program")
  func noArray() async {
    await #expect(processExitsWith: .failure) {
      let web = try WebStack()
      let node = try web.node("a")
      node.setValue("text", forKey: "live")
      _ = node.mutableArrayValue(forKey: "live").count
    }
  }

  @Test("KVC a value is validated for the property at the end of a path")
  func validation() throws {
    let web = try WebStack()
    let (a, b) = try family(web)
    var value: Any? = NSNumber(value: 2.5)
    try b.validateValue(&value, forKeyPath: "parent.rank")
    #expect(value as? Int == 2)
    var wrong: Any? = "text"
    let error = #expect(throws: NSError.self) {
      try b.validateValue(&wrong, forKeyPath: "parent.rank")
    }
    #expect(error?.code == NSManagedObjectValidationError)
    #expect(error?.userInfo[NSValidationObjectErrorKey] as? Node === a)
    var object: AnyObject? = NSNumber(value: 3.5)
    try b.validateValue(&object, forKeyPath: "rank")
    #expect((object as? NSNumber)?.intValue == 3)
    try a.validateValue(&wrong, forKeyPath: "parent.rank")
    #expect(wrong as? String == "text", "there is nothing that could refuse it")
  }

  @Test("MO-26 a subscript reads and sets as key-value coding does")
  func keyedSubscript() throws {
    let web = try WebStack()
    let (a, b) = try family(web)
    #expect(b["parent"] as? Node === a && b["rank"] as? Int == 7)
    b["rank"] = 8
    b["parent"] = nil
    #expect(b.rank == 8 && b.parent == nil && a.kids.isEmpty && b.hasChanges)
  }
}
