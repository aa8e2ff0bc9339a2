// SPDX-License-Identifier: Apache-2.0

extension TextFolding {
  /// The kind of a scalar that is not in the folding tables.
  enum ScalarKind {
    /// The scalar has no case and no diacritic, and does not compose with the preceding scalar.
    case plain
    /// A combining mark that `[d]` removes.
    case mark
    /// A scalar that can compose with the preceding scalar.
    case combining
    /// A scalar that Foundation must fold.
    case unknown
  }

  static func kind(of scalar: UInt32) -> ScalarKind {
    switch scalar {
    case 0: return .plain
    case 0x2000...0x20CF, 0x2190...0x245F, 0x2500...0x2ADB, 0x2E80...0x2EFF, 0x3041...0x3096,
      0x309B...0x4DFF, 0x4E00...0xA48F, 0xAC00...0xD7A3, 0x1F300...0x1FAFF, 0x20000...0x2F7FF:
      return .plain
    default: break
    }
    if isMark(scalar) { return .mark }
    if composes(scalar) { return .combining }
    guard let unicode = Unicode.Scalar(scalar) else { return .plain }
    return unicode.properties.canonicalCombiningClass == .notReordered ? .unknown : .combining
  }

  /// Whether the scalar is a combining mark that `[d]` removes after any character.
  static func isMark(_ scalar: UInt32) -> Bool {
    switch scalar {
    // The combining ypogegrammeni folds to a letter, iota.
    case 0x0345: false
    case 0x0300...0x036F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F: true
    default: false
    }
  }

  /// Whether the scalar is a starter that can compose with a preceding starter.
  ///
  /// Source: documented (Unicode Standard Annex 15, NFC_Quick_Check=Maybe).
  private static func composes(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x09BE, 0x09D7, 0x0B3E, 0x0B56, 0x0B57, 0x0BBE, 0x0BD7, 0x0CC2, 0x0CD5, 0x0CD6, 0x0D3E,
      0x0D57, 0x0DCF, 0x0DDF, 0x102E, 0x1161...0x1175, 0x11A8...0x11C2, 0x1B35, 0x11127, 0x1133E,
      0x11357, 0x113B8, 0x113BB, 0x113C2, 0x113C5, 0x113C7...0x113C9, 0x114B0, 0x114BA, 0x114BD,
      0x115AF, 0x11930:
      true
    default: false
    }
  }
}
