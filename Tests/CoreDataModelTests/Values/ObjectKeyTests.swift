// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataModel

struct ObjectKeyTests {
  @Test func aKeyGivesBackItsParts() throws {
    let key = try #require(ObjectKey(store: 255, entity: 16383, number: ObjectKey.maximumNumber))
    #expect(key.store == 255 && key.entity == 16383)
    #expect(key.number == ObjectKey.maximumNumber && !key.isTemporary)
    #expect("\(try #require(ObjectKey(store: 1, entity: 2, number: 3)))" == "s1/e2/p3")
  }

  @Test func aKeyThatDoesNotFitIsNil() {
    #expect(ObjectKey(store: 0, entity: 0, number: ObjectKey.maximumNumber + 1) == nil)
    #expect(ObjectKey(store: 0, entity: 0, number: -1) == nil)
    #expect(ObjectKey(store: 256, entity: 0, number: 1) == nil)
    #expect(ObjectKey(store: 0, entity: 1 << 14, number: 1) == nil)
  }

  @Test func temporaryKeysDifferFromPermanentOnes() throws {
    let temporary = ObjectKey.temporary(entity: 7, number: 5)
    #expect(temporary.isTemporary && temporary.entity == 7 && temporary.number == 5)
    #expect(temporary != ObjectKey(store: 0, entity: 7, number: 5))
    #expect("\(temporary)" == "e7/t5")
  }

  @Test func anotherEntityKeepsStoreAndNumber() throws {
    let key = try #require(ObjectKey(store: 3, entity: 9, number: 11)).with(entity: 4)
    #expect(key == ObjectKey(store: 3, entity: 4, number: 11))
    #expect(ObjectKey.temporary(entity: 1, number: 2).with(entity: 5).isTemporary)
  }
}
