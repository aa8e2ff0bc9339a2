// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The numbers of objects in a file, for those objects that have another number in memory.
///
/// The objects of a file have different numbers, but a store from which the objects were copied may number
/// each hierarchy by itself. The copies keep the numbers of their keys, because contexts use them, until the
/// store is opened again.
package struct FileNumbers: Sendable {
  private struct Member: Hashable, Sendable {
    let root: Int
    let number: Int64
  }
  private var inFile: [Member: Int64] = [:]
  private var inMemory: [Int64: Member] = [:]
  /// The greatest number in the file or in memory.
  private(set) var last: Int64 = 0

  /// Numbers the objects: an object keeps its number unless an earlier one has it.
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

  /// Returns the number in the file of an object.
  func number(_ number: Int64, ofRoot root: Int) -> Int64 {
    inFile[Member(root: root, number: number)] ?? number
  }

  /// Returns the number in the file of an object that has another number in memory; nil for any other object.
  package func otherNumber(_ number: Int64, ofRoot root: Int) -> Int64? {
    inFile[Member(root: root, number: number)]
  }

  /// Returns the number in memory of the object that has the number in the file; nil if the object with this
  /// number in memory has another one in the file.
  package func memoryNumber(_ number: Int64, ofRoot root: Int) -> Int64? {
    if let member = inMemory[number] { return member.root == root ? member.number : nil }
    return inFile[Member(root: root, number: number)] == nil ? number : nil
  }
}
