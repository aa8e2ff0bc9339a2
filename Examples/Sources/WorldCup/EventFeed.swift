// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird

/// The list's events as server-sent events, one stream for each window.
struct EventFeed {
  let teams: TeamList

  init(teams: TeamList) {
    self.teams = teams
    Task {
      while true {
        try await Task.sleep(for: .seconds(15))
        await teams.ping()
      }
    }
  }

  func response() -> Response {
    let body = ResponseBody { [teams] writer in
      // The browser asks again half a second after a lost connection.
      try await writer.write(ByteBuffer(string: "retry: 500\n\n"))
      for await event in await teams.events() {
        try await writer.write(ByteBuffer(string: Self.text(event)))
      }
      try await writer.finish(nil)
    }
    return Response(
      status: .ok,
      headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
      body: body
    )
  }

  private static func text(_ event: ListEvent) throws -> String {
    switch event {
    case .hello(let launch, let sequence):
      "event: hello\ndata: \(try JSON.text(Hello(launch: launch, sequence: sequence)))\n\n"
    case .round(let sequence, let changes):
      "id: \(sequence)\nevent: round\n"
        + "data: \(try JSON.text(Round(sequence: sequence, changes: changes)))\n\n"
    case .reset(let sequence):
      "id: \(sequence)\nevent: reset\ndata: \(sequence)\n\n"
    case .ping:
      ": still here\n\n"
    }
  }

  private struct Hello: Encodable {
    var launch: String
    var sequence: Int
  }

  private struct Round: Encodable {
    var sequence: Int
    var changes: [ListChange]
  }
}
