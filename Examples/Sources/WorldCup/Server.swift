// SPDX-License-Identifier: Apache-2.0

import FlyingFox
import FlyingSocks
import Foundation

/// The page and its small API, on this machine only.
struct Server {
  let teams: TeamList
  let port: UInt16

  /// Prints the address when the server listens, and serves until the program ends.
  func run() async throws {
    let server = HTTPServer(
      address: try sockaddr_in.inet(ip4: "127.0.0.1", port: port),
      // A request of a page under load takes as long as the load.
      timeout: 3600,
      logger: .disabled,
      handler: SameOrigin(port: port, next: try routes())
    )
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run() }
      group.addTask { [port] in
        try await server.waitUntilListening()
        print("http://127.0.0.1:\(port)")
        fflush(nil)
      }
      try await group.waitForAll()
    }
  }

  private func routes() throws -> RoutedHTTPHandler {
    var routes = RoutedHTTPHandler()
    try addPage(to: &routes)
    addReading(to: &routes)
    addEditing(to: &routes)
    return routes
  }

  private func addReading(to routes: inout RoutedHTTPHandler) {
    let events = EventFeed(teams: teams)
    routes.appendRoute("GET /events") { _ in await events.response() }
    routes.appendRoute("GET /state") { [teams] _ in try JSON.response(await teams.state()) }
    routes.appendRoute("GET /outline") { [teams] _ in try JSON.response(await teams.outline()) }
    routes.appendRoute("GET /index") { [teams] _ in try JSON.response(await teams.index()) }
    routes.appendRoute("GET /rows") { [teams] request in
      func number(_ name: String) throws -> Int {
        guard let number = request.query[name].flatMap({ Int($0) }) else {
          throw ListError.invalid("The query must have a whole number for \(name).")
        }
        return number
      }
      return try await JSON.response {
        try await teams.rows(
          inSection: number("section"),
          from: number("from"),
          count: number("count")
        )
      }
    }
  }

  private func addEditing(to routes: inout RoutedHTTPHandler) {
    routes.appendRoute("POST /rush") { [teams] request in
      try await JSON.response {
        let wish = try await JSON.decode(RushWish.self, from: request)
        let rush = Rush(
          container: teams.container,
          changesPerSecond: min(max(wish.changesPerSecond, 60), 10_000),
          seconds: min(max(wish.seconds, 1), 600)
        )
        let tally = try await rush.run()
        // The page has been sent all changes when the context has executed its earlier blocks.
        await teams.context.perform {}
        return tally
      }
    }
    routes.appendRoute("POST /teams") { [teams] request in
      try await JSON.done {
        let underdog = try await JSON.decode(Underdog.self, from: request)
        try await teams.addTeam(named: underdog.name, zone: underdog.zone)
      }
    }
    routes.appendRoute("POST /teams/:id/win") { [teams] (id: String) in
      try await JSON.done { try await teams.addWin(to: id) }
    }
    routes.appendRoute("POST /teams/:id/restore") { [teams] (id: String) in
      try await JSON.done { try await teams.restore(id) }
    }
    routes.appendRoute("DELETE /teams/:id") { [teams] (id: String) in
      try await JSON.done { try await teams.remove(id) }
    }
    routes.appendRoute("POST /pull") { [teams] _ in
      try await JSON.done { try await teams.pull(1000) }
    }
    routes.appendRoute("POST /search") { [teams] request in
      try await JSON.done {
        try await teams.search(JSON.decode(Search.self, from: request).text)
      }
    }
  }

  private func addPage(to routes: inout RoutedHTTPHandler) throws {
    let files = [
      ("", "page.html", "text/html; charset=utf-8"),
      ("page.css", "page.css", "text/css; charset=utf-8"),
      ("page.js", "page.js", "text/javascript; charset=utf-8"),
      ("list.js", "list.js", "text/javascript; charset=utf-8"),
      ("flags.js", "flags.js", "text/javascript; charset=utf-8"),
      ("long", "long.html", "text/html; charset=utf-8"),
      ("long.css", "long.css", "text/css; charset=utf-8"),
      ("long.js", "long.js", "text/javascript; charset=utf-8"),
      ("longlist.js", "longlist.js", "text/javascript; charset=utf-8"),
      ("icon.svg", "icon.svg", "image/svg+xml"),
    ]
    for (path, file, type) in files {
      let body = try Data(contentsOf: Bundle.module.bundleURL.appendingPathComponent("Web/\(file)"))
      routes.appendRoute(HTTPRoute(method: .GET, path: "/\(path)")) { _ in
        HTTPResponse(
          statusCode: .ok,
          headers: [
            .contentType: type, .cacheControl: "no-cache",
            HTTPHeader("Content-Security-Policy"): "default-src 'self'",
          ],
          body: body
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
