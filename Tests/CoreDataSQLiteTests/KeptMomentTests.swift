// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataSQLite

@Suite("Kept moments")
struct KeptMomentTests {
  /// Looks up until a moment is kept, and returns the number of look-ups; 0 if none is kept after 100.
  private func lookUps(_ moment: inout KeptMoment, _ connection: RawConnection) throws -> Int {
    for number in 1...100 {
      moment.enter(epoch: 0)
      try connection.run("SELECT COUNT(*) FROM ZTEAM")
      if moment.leave(epoch: 0) { return number }
    }
    return 0
  }

  @Test("A moment begins with the look-up that completes a burst, at first and after each commit")
  func burst() throws {
    let fixture = try StoreFixture(Models.league)
    try fixture.insert("Team", ["name": .text("a")])
    let reader = try RawConnection(fixture.path)
    var moment = KeptMoment(try #require(reader.handle), isAllowed: true)
    let first = try lookUps(&moment, reader)
    #expect(first == KeptMoment.burst)
    let other = try RawConnection(fixture.path)
    for name in ["b", "c"] {
      try other.run("UPDATE ZTEAM SET ZNAME = '\(name)'")
      let next = try lookUps(&moment, reader)
      #expect(next == KeptMoment.burst)
    }
    moment.end()
  }

  @Test("No moment begins while there is a commit within each burst")
  func commits() throws {
    let fixture = try StoreFixture(Models.league)
    try fixture.insert("Team", ["name": .text("a")])
    let reader = try RawConnection(fixture.path)
    let other = try RawConnection(fixture.path)
    var moment = KeptMoment(try #require(reader.handle), isAllowed: true)
    for round in 0..<100 {
      if round.isMultiple(of: KeptMoment.burst - 1) {
        try other.run("UPDATE ZTEAM SET ZNAME = 'b'")
      }
      moment.enter(epoch: 0)
      try reader.run("SELECT COUNT(*) FROM ZTEAM")
      let isKept = moment.leave(epoch: 0)
      #expect(!isKept, "look-up \(round)")
    }
  }
}
