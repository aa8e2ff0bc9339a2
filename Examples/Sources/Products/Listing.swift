// SPDX-License-Identifier: Apache-2.0

import CoreData

/// How the program prints what it fetched.
enum Listing {
  static let rule = String(repeating: "-", count: 81)

  static func title(_ text: String) { print("\n\(text)\n") }

  static func text(_ product: Products) -> String {
    "NAME: \(product.name ?? ""), PRICE: \(product.price)"
  }

  static func show(_ products: [Products]) {
    for product in products { print(text(product)) }
  }

  /// The keys and values of each dictionary, `(key: value)` a line.
  static func show(_ dictionaries: [NSDictionary]) {
    for dictionary in dictionaries {
      let entries = dictionary.map { "\($0.key): \($0.value)" }
      print(entries.sorted().joined(separator: ", "))
    }
  }

  /// Two lists side by side; the second one begins `offset` rows further down.
  static func compare(_ first: [Products], _ second: [Products], offset: Int) {
    let width = 42
    func row(_ left: Products?, _ right: Products?) -> String {
      let text = left.map(text) ?? ""
      let padding = String(repeating: " ", count: max(1, width - text.count))
      return right.map { text + padding + self.text($0) } ?? text
    }
    for product in first.prefix(offset) { print(row(nil, product)) }
    print(rule)
    for (left, right) in zip(first, second) { print(row(left, right)) }
    print(rule)
    for product in second.suffix(offset) { print(row(product, nil)) }
    print("...")
  }
}
