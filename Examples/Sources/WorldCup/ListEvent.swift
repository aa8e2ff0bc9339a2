// SPDX-License-Identifier: Apache-2.0

/// What a reader of the list hears.
enum ListEvent: Sendable {
  /// The first event: which run of the program this is, and how many rounds it has seen.
  case hello(launch: String, sequence: Int)
  /// One round of changes; numbers go up by one.
  case round(sequence: Int, changes: [ListChange])
  /// The list was fetched anew, with another search: ask for the state.
  case reset(sequence: Int)
  /// Nothing happened for a while.
  case ping
}
