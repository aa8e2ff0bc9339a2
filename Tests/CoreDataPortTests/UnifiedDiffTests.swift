// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataPort

struct UnifiedDiffTests {
  private func diff(_ text: String) throws -> String {
    try UnifiedDiff(Porting.source(text)).text
  }

  @Test func aPatchHasThreeLinesAroundAChange() throws {
    let text = "// 1\n// 2\n// 3\n// 4\n@objc class A {}\n// 6\n// 7\n// 8\n// 9\n"
    #expect(
      try diff(text) == """
        --- a/File0.swift
        +++ b/File0.swift
        @@ -2,7 +2,10 @@
         // 2
         // 3
         // 4
        -@objc class A {}
        +#if canImport(ObjectiveC)
        +@objc
        +#endif
        +class A {}
         // 6
         // 7
         // 8

        """
    )
  }

  @Test func linesThatStayAreNotRepeated() throws {
    #expect(
      try diff("@objc(A)\nclass A {}") == """
        --- a/File0.swift
        +++ b/File0.swift
        @@ -1,2 +1,4 @@
        +#if canImport(ObjectiveC)
         @objc(A)
        +#endif
         class A {}
        \\ No newline at end of file

        """
    )
  }

  @Test func distantChangesAreSeparate() throws {
    let gap = String(repeating: "//\n", count: 7)
    let text = try diff("@objc(A)\nclass A {}\n\(gap)@objc(B)\nclass B {}\n")
    #expect(
      text.components(separatedBy: "\n").filter { $0.hasPrefix("@@") } == [
        "@@ -1,4 +1,6 @@", "@@ -7,5 +9,7 @@",
      ]
    )
  }

  @Test func equalTextsHaveNoPatch() throws {
    #expect(try diff("class A {}\n") == "")
  }
}
