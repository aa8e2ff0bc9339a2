// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What the processes at a bank have logged.
struct BankLogs {
  /// The labels of transfers whose save has returned.
  var transfers: Set<String> = []
  /// Transactions of all kinds whose save has returned.
  var acknowledged = 0
  /// List → the numbers whose append has returned.
  var appended: [Int: [Int]] = [:]
  /// Writer → its increments that have returned.
  var increments: [Int: Int] = [:]
  var conflicts = 0
  var jumps = 0
  /// What readers say at their end.
  var readers: [String] = []
  /// The longest waits in milliseconds: of a writer, of the reader of moments, of the list.
  var longest: [String: Int] = [:]
  var wrong: [String] = []

  init(_ bank: Bank) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: bank.folder.path).sorted()
    where name.hasPrefix("log-") {
      let text = try String(contentsOf: bank.folder.appendingPathComponent(name), encoding: .utf8)
      for line in text.split(separator: "\n") { add(line, of: name.dropFirst(4)) }
    }
  }

  /// The names of writers are `writer.process`.
  private mutating func add(_ line: Substring, of name: Substring) {
    let parts = line.split(separator: " ", maxSplits: 1)
    let value = parts.count > 1 ? parts[1] : ""
    let writer = name.split(separator: "-").first.flatMap { Int($0) }
    switch parts.first ?? "" {
    case "done":
      transfers.insert(String(value))
      acknowledged += 1
    case "append":
      let numbers = value.split(separator: " ").compactMap { Int($0) }
      if numbers.count == 2 { appended[numbers[0], default: []].append(numbers[1]) }
      acknowledged += 1
    case "own":
      if let writer { increments[writer, default: 0] += 1 }
      acknowledged += 1
    case "conflict": conflicts += 1
    case "jump": jumps += 1
    case "moments", "list": readers.append(String(line))
    case "wrong": wrong.append("\(name) saw: \(value)")
    case "longest":
      let kind = writer == nil ? String(name) : "writer"
      longest[kind] = max(longest[kind] ?? 0, Int(Double(value) ?? 0))
    default: break
    }
  }

  /// The number of transactions that one process has logged.
  static func count(_ url: URL) throws -> Int {
    try String(contentsOf: url, encoding: .utf8).split(separator: "\n").count {
      $0.hasPrefix("done") || $0.hasPrefix("append") || $0 == "own"
    }
  }
}
