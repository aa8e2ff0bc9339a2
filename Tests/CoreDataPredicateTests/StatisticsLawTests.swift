// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel
import _CoreDataPredicate

/// Aggregates against their definitions.
@Suite struct StatisticsLawTests {
  private func call(_ function: AggregateFunction, _ values: [Value]) throws -> Value {
    try function.value(of: .collection(ValueCollection(.array, values)))
  }

  @Test func `Aggregates of random numbers agree with their definitions`() throws {
    var dice = Dice(31)
    for _ in 0..<2_000 {
      let count = Int.random(in: 1...9, using: &dice)
      let numbers = (0..<count).map { _ in Double(Int.random(in: -6...6, using: &dice)) / 2 }
      let values = numbers.map { $0 == $0.rounded() ? Value.int(Int64($0)) : .double($0) }
      let sum = numbers.reduce(0, +)
      let mean = sum / Double(count)
      let sorted = numbers.sorted()
      let median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
      let variance = numbers.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(count)
      func agrees(_ function: AggregateFunction, _ wanted: Double) throws -> Bool {
        guard let number = try call(function, values).number else { return false }
        return abs(number - wanted) < 1e-9
      }
      #expect(try agrees(.sum, sum), "\(numbers)")
      #expect(try agrees(.average, mean), "\(numbers)")
      #expect(try agrees(.median, median), "\(numbers)")
      #expect(try agrees(.standardDeviation, variance.squareRoot()), "\(numbers)")
      #expect(try agrees(.minimum, sorted[0]), "\(numbers)")
      #expect(try agrees(.maximum, sorted[count - 1]), "\(numbers)")
      #expect(try agrees(.count, Double(count)), "\(numbers)")
      try expectModes(numbers, call(.mode, values))
    }
  }

  private func expectModes(_ numbers: [Double], _ modes: Value) throws {
    guard case .collection(let found) = modes else {
      Issue.record("mode: gives no collection")
      return
    }
    let counts = Dictionary(grouping: numbers) { $0 }.mapValues(\.count)
    let most = counts.values.max()
    let wanted = Set(counts.filter { $0.value == most }.keys)
    #expect(Set(found.members.compactMap(\.number)) == wanted, "\(numbers)")
    #expect(found.members.count == wanted.count, "\(numbers)")
  }

  @Test func `Sums beyond whole numbers are real, and nothing traps`() throws {
    let large: [Value] = [.int(.max), .int(.max), .int(-1)]
    #expect(try call(.sum, large).number == 2 * Double(Int64.max) - 1)
    #expect(try call(.average, large).number == (2 * Double(Int64.max) - 1) / 3)
    #expect(try call(.sum, [.int(.max), .bool(true)]).number == Double(Int64.max) + 1)
    #expect(try call(.average, [.int(.max), .bool(true)]).number == (Double(Int64.max) + 1) / 2)
    #expect(try call(.sum, [.decimal(1.1), .int(2)]).number == 3.1)
    #expect(try call(.sum, []).number == 0)
    for function: AggregateFunction in [
      .average, .minimum, .maximum, .median, .standardDeviation,
    ] {
      #expect(try call(function, []).isNull, "\(function)")
    }
  }
}
