// SPDX-License-Identifier: Apache-2.0

import FlyingFox
import Foundation

/// The JSON of the API's requests and responses.
enum JSON {
  static func text(_ value: some Encodable) throws -> String {
    String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
  }

  /// Returns the value in the body of a request.
  static func decode<Value: Decodable>(
    _ type: Value.Type,
    from request: HTTPRequest
  ) async throws -> Value {
    let body = try await request.bodyData
    do {
      return try JSONDecoder().decode(type, from: body)
    } catch {
      throw ListError.invalid("The body of the request is not the expected JSON.")
    }
  }

  static func response(
    _ value: some Encodable,
    status: HTTPStatusCode = .ok
  ) throws -> HTTPResponse {
    HTTPResponse(
      statusCode: status,
      headers: [.contentType: "application/json", .cacheControl: "no-store"],
      body: try JSONEncoder().encode(value)
    )
  }

  /// Returns the value as the response; if the request is refused, the reason as `{"error": …}`.
  static func response(_ value: () async throws -> some Encodable) async throws -> HTTPResponse {
    do {
      return try response(await value())
    } catch let error as ListError {
      return try refusal(error)
    }
  }

  /// Returns status 204 when the edit is saved; if it is refused, the reason as `{"error": …}`.
  static func done(_ edit: () async throws -> Void) async throws -> HTTPResponse {
    do {
      try await edit()
      return HTTPResponse(statusCode: .noContent)
    } catch let error as ListError {
      return try refusal(error)
    }
  }

  private static func refusal(_ error: ListError) throws -> HTTPResponse {
    let status: HTTPStatusCode =
      switch error {
      case .gone: .notFound
      case .invalid: .badRequest
      }
    return try response(["error": error.description], status: status)
  }
}
