// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The objects of a store whose numbers in the file differ from their numbers in memory.
///
/// No two objects of a file have the same number. If the objects were copied from a store that numbers each
/// hierarchy separately, objects of different hierarchies can have the same number. In memory the copies keep
/// their numbers until the store is opened again, because contexts use the keys that contain these numbers.
package struct FileNumbers: Sendable {
  private struct Member: Hashable, Sendable {
    let root: Int
    let number: Int64
  }
  private var inFile: [Member: Int64] = [:]
  private var inMemory: [Int64: Member] = [:]
  /// The greatest number that was ever assigned to an object, in the file or in memory.
  private(set) var last: Int64 = 0

  /// Assigns each object its number in the file: the number of its key or, if an earlier object has the same
  /// number, a new number, which is greater than `last` and the numbers of all keys.
  init(_ keys: some Sequence<ObjectKey>, _ model: ModelDefinition, above last: Int64) {
    self.last = last
    var known: Set<Int64> = []
    var others: [Member] = []
    for key in keys {
      self.last = max(self.last, key.number)
      if known.insert(key.number).inserted { continue }
      others.append(Member(root: model.entities[key.entity].root, number: key.number))
    }
    for member in others {
      self.last += 1
      inFile[member] = self.last
      inMemory[self.last] = member
    }
  }

  var isEmpty: Bool { inFile.isEmpty }

  /// Returns the number in the file of the object whose number in memory is `number`.
  package func number(_ number: Int64, ofRoot root: Int) -> Int64 {
    inFile[Member(root: root, number: number)] ?? number
  }

  /// Returns the number in the file of the object whose number in memory is `number`; nil if the two numbers
  /// are equal.
  package func otherNumber(_ number: Int64, ofRoot root: Int) -> Int64? {
    inFile[Member(root: root, number: number)]
  }

  /// Returns the number in memory of the object whose number in the file is `number`; nil if the object is
  /// known to belong to another hierarchy.
  package func memoryNumber(_ number: Int64, ofRoot root: Int) -> Int64? {
    if let member = inMemory[number] { return member.root == root ? member.number : nil }
    return inFile[Member(root: root, number: number)] == nil ? number : nil
  }
}
