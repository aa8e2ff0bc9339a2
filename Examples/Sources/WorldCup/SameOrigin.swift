// SPDX-License-Identifier: Apache-2.0

import FlyingFox

/// Refuses requests of other web pages: the server is for the page and the tools of this machine.
struct SameOrigin: HTTPHandler {
  let hosts: Set<String>
  let next: RoutedHTTPHandler

  init(port: UInt16, next: RoutedHTTPHandler) {
    hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
    self.next = next
  }

  func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
    let origin = request.headers[HTTPHeader("Origin")]
    guard let host = request.headers[.host], hosts.contains(host),
      origin == nil || origin == "http://\(host)"
    else {
      return HTTPResponse(statusCode: .forbidden)
    }
    return try await next.handleRequest(request)
  }
}
