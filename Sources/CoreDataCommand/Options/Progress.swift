// SPDX-License-Identifier: Apache-2.0

import CoreDataTools
import Foundation

/// A line on the standard error that tells how far long work is; silent where nobody sees it.
final class Progress {
  private let label: String
  private let total: Int?
  private let started = Date()
  private var shown = Date.distantPast
  private var hasLine = false

  init(_ label: String, total: Int? = nil) {
    self.label = label
    self.total = total
  }

  /// Tells that `done` things are done; writes at most ten times a second, and nothing in the first half
  /// second.
  func update(_ done: Int) {
    guard Terminal.showsProgress else { return }
    let now = Date()
    if now.timeIntervalSince(started) < 0.5 || now.timeIntervalSince(shown) < 0.1 { return }
    shown = now
    hasLine = true
    let rate = Int(Double(done) / max(0.001, now.timeIntervalSince(started)))
    let of = total.map { " of \(CellText.count($0)) (\(done * 100 / max(1, $0)) %)" } ?? ""
    let text = "\r\u{1B}[K\(label): \(CellText.count(done))\(of), \(CellText.count(rate)) a second"
    FileHandle.standardError.write(Data(text.utf8))
  }

  /// Takes the line away.
  func finish() {
    if hasLine { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
    hasLine = false
  }
}
