// SPDX-License-Identifier: Apache-2.0

import FlyingFox
import Foundation

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

  func response() async -> HTTPResponse {
    let bytes = EventBytes(events: await teams.events(), text: Self.text)
    return HTTPResponse(
      statusCode: .ok,
      headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
      body: HTTPBodySequence(from: bytes, suggestedBufferSize: 1 << 16)
    )
  }

  @Sendable private static func text(_ event: ListEvent) throws -> String {
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
