// SPDX-License-Identifier: Apache-2.0

// Writes to a database while scripts/failover kills its servers, or while scripts/histories records what several
// writers see.
//
// DatabaseWriter prepare URL
// DatabaseWriter write URL NAME RECORD STOPFILE
// DatabaseWriter history URL NAME RECORD SECONDS MISTAKE
// DatabaseWriter content URL
// DatabaseWriter delegate URL CHANGES    measures the time until a change reaches the delegate in another process
// DatabaseWriter change URL NAME         the other process

import CoreData
import Foundation

func run(_ arguments: [String]) throws {
  guard arguments.count >= 2 else { throw WriterError(text: "usage: see main.swift") }
  if arguments.count == 3, arguments[0] == "delegate", let count = Int(arguments[2]), count > 0 {
    try DelegateClock(arguments[1]).run(arguments[1], count)
    return
  }
  if arguments.count == 3, arguments[0] == "change" {
    let container = try DatabaseModel.container(arguments[1], isLive: true)
    try DelegateClock.change(arguments[2], container.newBackgroundContext())
    return
  }
  let context = try DatabaseModel.container(arguments[1]).newBackgroundContext()
  switch arguments[0] {
  case "prepare":
    try context.performAndWait {
      try LossWriter.prepare(context)
      try HistoryWriter.prepare(context, lists: 20_000)
    }
  case "write" where arguments.count == 5:
    let record = try Record(arguments[3])
    try LossWriter(name: arguments[2], record: record, context: context).run(until: arguments[4])
  case "history" where arguments.count == 6:
    guard let seconds = Double(arguments[4]),
      let mistake = HistoryWriter.Mistake(rawValue: arguments[5])
    else { throw WriterError(text: "unknown arguments") }
    let record = try Record(arguments[3])
    try HistoryWriter(name: arguments[2], record: record, context: context, mistake: mistake)
      .run(seconds: seconds)
  case "content":
    let content = try context.performAndWait {
      try LossWriter.content(context).merging(HistoryWriter.content(context)) { first, _ in first }
    }
    FileHandle.standardOutput.write(try JSONSerialization.data(withJSONObject: content))
  default: throw WriterError(text: "unknown arguments")
  }
}

do {
  try run(Array(CommandLine.arguments.dropFirst()))
} catch {
  FileHandle.standardError.write(Data("DatabaseWriter: \(error)\n".utf8))
  exit(1)
}
