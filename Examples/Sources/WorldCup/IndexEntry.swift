// SPDX-License-Identifier: Apache-2.0

/// A letter of the section index, and the section that it leads to.
struct IndexEntry: Sendable, Encodable {
  let title: String
  let section: Int
}
