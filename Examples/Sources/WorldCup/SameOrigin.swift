// SPDX-License-Identifier: Apache-2.0

import Hummingbird

/// Refuses what other web pages send: the server is for this machine's own page and tools.
struct SameOrigin<Context: RequestContext>: RouterMiddleware {
  let hosts: Set<String>

  init(port: Int) {
    hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
  }

  func handle(
    _ request: Request,
    context: Context,
    next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    let origin = request.headers[.origin]
    guard let host = request.head.authority, hosts.contains(host),
      origin == nil || origin == "http://\(host)"
    else {
      return Response(status: .forbidden)
    }
    return try await next(request, context)
  }
}
