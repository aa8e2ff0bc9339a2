// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import CCoreDataPostgres
import Foundation
import _CoreDataStore

/// The place of a store: a database, and a schema in it.
///
/// The description never contains the password.
package struct PostgresAddress: Sendable, CustomStringConvertible {
  /// The keywords and values for libpq, with the password if the URL has one.
  let parameters: [(keyword: String, value: String)]
  /// The name of the schema with the store's tables.
  package let schema: String
  /// The URL without its password, and the schema.
  package let description: String

  /// Reads a URL, as libpq understands it: `postgresql://user@host:port,host:port/database?keyword=value`.
  ///
  /// A part that is missing comes from libpq's environment variables, service file and password file. The
  /// parameter `schema` of the URL, which libpq does not have, names the schema if `schema` is nil; without
  /// both it is `public`.
  /// - Throws: `StoreError.invalidRequest` if libpq cannot read the URL, or if the schema's name is empty or
  ///   contains a zero byte.
  package init(_ url: String, schema named: String? = nil) throws {
    let (url, found) = Self.takingSchema(from: url)
    let schema = named ?? found ?? "public"
    let place = Self.withoutPassword(url)
    guard !schema.isEmpty, !schema.utf8.contains(0) else {
      throw StoreError(
        .invalidRequest,
        "the name of the schema is empty or contains a zero byte; name a schema, or leave out the option to "
          + "use the schema public",
        path: place
      )
    }
    var reason: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(url, &reason) else {
      defer { PQfreemem(reason) }
      let text = reason.map { Self.reason(String(cString: $0), url) } ?? "no memory is left"
      throw StoreError(
        .invalidRequest,
        "the URL of the PostgreSQL store cannot be read: \(PostgresFailure.oneLine(text)); write it as "
          + "postgresql://user@host:port/database, with % codes for special characters",
        path: place
      )
    }
    defer { PQconninfoFree(options) }
    var parameters: [(String, String)] = []
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val {
        parameters.append((String(cString: keyword), String(cString: value)))
      }
      option += 1
    }
    self.parameters = parameters
    self.schema = schema
    description = schema == "public" ? place : "\(place), schema \(schema)"
  }

  /// Returns a URL without its parameter `schema`, and the value of the parameter.
  private static func takingSchema(from url: String) -> (url: String, schema: String?) {
    guard let match = url.firstMatch(of: #/([?&])schema=([^&]*)(&?)/#) else { return (url, nil) }
    var rest = url
    let isLast = match.output.3.isEmpty
    rest.replaceSubrange(match.range, with: isLast ? "" : String(match.output.1))
    return (rest, String(match.output.2).removingPercentEncoding)
  }

  /// Returns libpq's reason for refusing a URL, without the quoted parts that come from the URL's user or
  /// password.
  private static func reason(_ text: String, _ url: String) -> String {
    let secret = url.lastIndex(of: "@").map { url[..<$0] } ?? ""
    return withoutPassword(text).replacing(#/"([^"]*)"/#) { match in
      secret.contains(match.output.1) ? "…" : String(match.output.0)
    }
  }

  /// Returns the value of one of libpq's keywords in the URL; nil if the URL does not set it.
  func value(_ keyword: String) -> String? {
    parameters.first { $0.keyword == keyword }?.value
  }

  /// Returns the keywords and values with which libpq connects, with defaults for what the URL and libpq's
  /// environment variables do not set.
  ///
  /// A server that has vanished is noticed within about 30 seconds. Of several hosts, a store that writes uses
  /// the one that accepts writes.
  func parameters(for settings: PostgresSettings) -> [(keyword: String, value: String)] {
    let environment = ProcessInfo.processInfo.environment
    var all = parameters
    func add(_ keyword: String, _ value: String, unless variable: String? = nil) {
      if self.value(keyword) == nil, variable.flatMap({ environment[$0] }) == nil {
        all.append((keyword, value))
      }
    }
    add("connect_timeout", "10", unless: "PGCONNECT_TIMEOUT")
    add("keepalives_idle", "10")
    add("keepalives_interval", "5")
    add("keepalives_count", "3")
    add("tcp_user_timeout", "25000")
    if let servers = settings.servers {
      all.removeAll { $0.keyword == "target_session_attrs" }
      all.append(("target_session_attrs", servers))
    } else if !settings.isReadOnly, hosts(environment).contains(",") {
      add("target_session_attrs", "read-write", unless: "PGTARGETSESSIONATTRS")
    }
    if let place = settings.place {
      let replaced = ["host", "hostaddr", "port", "target_session_attrs", "connect_timeout"]
      all.removeAll { replaced.contains($0.keyword) }
      all += place + [("target_session_attrs", "any"), ("connect_timeout", "10")]
    }
    all.append(("client_encoding", "UTF8"))
    all.append(("fallback_application_name", "swift-coredata"))
    return all
  }

  private func hosts(_ environment: [String: String]) -> String {
    value("host") ?? value("hostaddr") ?? environment["PGHOST"] ?? environment["PGHOSTADDR"] ?? ""
  }

  /// The host names and ports, for error texts.
  var server: String {
    let hosts = value("host") ?? value("hostaddr") ?? "the local server"
    return value("port").map { "\(hosts), port \($0)" } ?? hosts
  }

  /// Returns a text in which the password of a URL, and a keyword `password`, are left out.
  ///
  /// The rule does not depend on a valid URL: everything between the first colon after `://` and the last `@`
  /// before the path is left out.
  package static func withoutPassword(_ text: String) -> String {
    text.replacing(#/(?i)(:\/\/[^:@\/?#]*):[^\/?#]*@/#) { "\($0.output.1)@" }
      .replacing(#/(?i)((?:[?&]|\b)(?:ssl)?password=)[^&\s]*/#) { "\($0.output.1)…" }
  }
}
#endif
