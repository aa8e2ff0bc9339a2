// SPDX-License-Identifier: Apache-2.0

/// Why an edit was refused.
enum ListError: Error, CustomStringConvertible {
  case gone
  case invalid(String)

  var description: String {
    switch self {
    case .gone: "This team is not on the list any more."
    case .invalid(let reason): reason
    }
  }
}
