// SPDX-License-Identifier: Apache-2.0

/// Estimates the width of text in a sans-serif font, in points and with a small margin.
enum TextMetrics {
  static func width(_ text: String, size: Double) -> Double {
    text.reduce(0.0) { $0 + width($1) } * size
  }

  private static func width(_ character: Character) -> Double {
    switch character {
    case "i", "l", "j", "I", "|", ".", ",", "'", "!", ":", ";", "[", "]", "(", ")": 0.36
    case "f", "t", "r", " ", "-", "/": 0.42
    case "m", "w", "M", "W", "@", "%": 0.95
    case "A"..."Z": 0.72
    case "_", "0"..."9", "a"..."z", "?": 0.6
    default: DisplayWidth.of(character) == 2 ? 1.05 : 0.68
    }
  }
}
