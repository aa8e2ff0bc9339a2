// SPDX-License-Identifier: Apache-2.0

import Foundation
import Hummingbird

/// Answers of the API.
enum JSON {
  static func text(_ value: some Encodable) throws -> String {
    String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
  }

  static func response(
    _ value: some Encodable,
    status: HTTPResponse.Status = .ok
  ) throws -> Response {
    Response(
      status: status,
      headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: .init(byteBuffer: ByteBuffer(string: try text(value)))
    )
  }

  /// 204 when the edit is saved; what was wrong as `{"error": …}` when it was refused.
  static func done(_ edit: () async throws -> Void) async throws -> Response {
    do {
      try await edit()
      return Response(status: .noContent)
    } catch let error as ListError {
      let status: HTTPResponse.Status =
        switch error {
        case .gone: .notFound
        case .invalid: .badRequest
        }
      return try response(["error": error.description], status: status)
    }
  }
}
