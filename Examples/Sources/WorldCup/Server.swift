// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird

/// The page and its small API, on this machine only.
struct Server {
  let teams: TeamList
  let port: Int

  /// Prints the address when it is ready, and serves until the program ends.
  func run() async throws {
    let address = "http://127.0.0.1:\(port)"
    var application = Application(
      router: try router(),
      configuration: .init(address: .hostname("127.0.0.1", port: port), serverName: nil),
      onServerRunning: { _ in
        print(address)
        fflush(nil)
      }
    )
    application.logger.logLevel = .warning
    // No signal handlers: an interrupt ends the program, and the store keeps what was saved.
    try await application.runService(gracefulShutdownSignals: [])
  }

  private func router() throws -> Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: SameOrigin(port: port))
    try addPage(to: router)
    let events = EventFeed(teams: teams)
    router.get("events") { _, _ in events.response() }
    router.get("state") { [teams] _, _ in try JSON.response(await teams.state()) }
    router.get("outline") { [teams] _, _ in try JSON.response(await teams.outline()) }
    router.get("rows") { [teams] request, _ in
      let query = request.uri.queryParameters
      return try JSON.response(
        await teams.rows(
          inSection: query.require("section", as: Int.self),
          from: query.require("from", as: Int.self),
          count: query.require("count", as: Int.self)
        )
      )
    }
    router.post("rush") { [teams] request, context in
      let wish = try await request.decode(as: RushWish.self, context: context)
      let rush = Rush(
        container: teams.container,
        changesPerSecond: min(max(wish.changesPerSecond, 60), 10_000),
        seconds: min(max(wish.seconds, 1), 600)
      )
      let tally = try await rush.run()
      // What was saved on this page's way is shown by now.
      await teams.context.perform {}
      return try JSON.response(tally)
    }
    router.post("teams") { [teams] request, context in
      let underdog = try await request.decode(as: Underdog.self, context: context)
      return try await JSON.done {
        try await teams.addTeam(named: underdog.name, zone: underdog.zone)
      }
    }
    router.post("teams/{id}/win") { [teams] _, context in
      let id = try context.parameters.require("id")
      return try await JSON.done { try await teams.addWin(to: id) }
    }
    router.get("index") { [teams] _, _ in try JSON.response(await teams.index()) }
    router.post("pull") { [teams] _, _ in
      try await JSON.done { try await teams.pull(1000) }
    }
    router.post("search") { [teams] request, context in
      let search = try await request.decode(as: Search.self, context: context)
      return try await JSON.done { try await teams.search(search.text) }
    }
    router.delete("teams/{id}") { [teams] _, context in
      let id = try context.parameters.require("id")
      return try await JSON.done { try await teams.remove(id) }
    }
    return router
  }

  private func addPage(to router: Router<BasicRequestContext>) throws {
    let files = [
      ("", "page.html", "text/html; charset=utf-8"),
      ("page.css", "page.css", "text/css; charset=utf-8"),
      ("page.js", "page.js", "text/javascript; charset=utf-8"),
      ("list.js", "list.js", "text/javascript; charset=utf-8"),
      ("long", "long.html", "text/html; charset=utf-8"),
      ("long.css", "long.css", "text/css; charset=utf-8"),
      ("long.js", "long.js", "text/javascript; charset=utf-8"),
      ("longlist.js", "longlist.js", "text/javascript; charset=utf-8"),
      ("icon.svg", "icon.svg", "image/svg+xml"),
    ]
    for (path, file, type) in files {
      let url = Bundle.module.bundleURL.appendingPathComponent("Web/\(file)")
      let body = ByteBuffer(bytes: try Data(contentsOf: url))
      router.get(RouterPath(path)) { _, _ in
        Response(
          status: .ok,
          headers: [
            .contentType: type, .cacheControl: "no-cache",
            .contentSecurityPolicy: "default-src 'self'",
          ],
          body: .init(byteBuffer: body)
        )
      }
    }
  }
}

private struct Search: Decodable {
  var text: String
}

private struct RushWish: Decodable {
  var changesPerSecond: Int
  var seconds: Int
}

private struct Underdog: Decodable {
  var name: String
  var zone: String
}
