// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import Foundation
import Testing

@Suite("XML of model files")
struct MarkupTests {
  private func draft(_ text: String) throws -> ModelDraft {
    try ModelFile.draft(xml: Data(text.utf8), file: "contents")
  }

  /// The names of the entities.
  private func names(_ text: String) throws -> [String] { try draft(text).entities.map(\.name) }

  private func message(_ text: String) -> String {
    do {
      return "\(try names(text))"
    } catch {
      return "\(error)"
    }
  }

  @Test(
    "What may stand around and between elements",
    arguments: [
      "<model><entity name=\"E\"/></model>",
      "\u{FEFF}<?xml version='1.0' encoding='UTF-8'?>\r\n<model><entity name='E'></entity ></model>",
      "<!-- a - b --><model>\n<!--<entity name=\"F\"/>--><entity\n\tname = 'E' />text</model><!---->",
      "<!DOCTYPE model SYSTEM \"file://a>b\">\n<model><entity name=\"E\"/></model>\n",
      "<model><![CDATA[<entity name=\"F\"/>]]><entity name=\"E\"/></model>",
      "<model><entity name=\"E\"/>&lt;&#65;</model>",
    ]
  )
  func around(_ text: String) {
    #expect(message(text) == "[\"E\"]")
  }

  @Test("References, quotes and white space in attributes")
  func attributes() throws {
    func name(_ value: String) throws -> [String] {
      try names("<model><entity name=\(value)/></model>")
    }
    #expect(try name("\"a&lt;b&gt;&amp;&quot;&apos;\"") == ["a<b>&\"'"])
    #expect(try name("'&#xE9;&#233;&#x1F600;é\"'") == ["éé😀é\""])
    #expect(try name("\"a\tb\r\nc&#10;d\"") == ["a b c\nd"])
  }

  @Test("Lines are counted, also behind ends of lines of any kind")
  func lines() throws {
    let text =
      "<!--\n\n-->\r\n<model>\n  <entity name=\"E\">\n    <attribute\n name=\"a\"/></entity></model>"
    #expect(try draft(text).entities.first?.properties.first?.line == 6)
  }

  @Test(
    "What is not well-formed is an error that names the line",
    arguments: [
      "\n", "plain", "<model>", "<model/><model/>", "<model/>text", "</model>", "<model></entity>",
      "<model a></model>", "<model a=b/>", "<model a=\"1\" a=\"2\"/>", "<model a=\"1\"b=\"2\"/>",
      "<model a=\"<\"/>", "<model a=\"&\"/>", "<model a=\"&none;\"/>", "<model>&#0;</model>",
      "<model>&#xD800;</model>", "<model>&#-65;</model>", "<model>&#x;</model>", "<1/>",
      "< model/>",
      "<model>\u{1}</model>", "<model>\u{FFFF}</model>", "<model>]]></model>",
      "<model><!-- -- --></model>",
      "<model><!--</model>", "<model><![CDATA[</model>", "<model><?php ?></model>", "<?xml",
      "<!DOCTYPE a [<!ENTITY b \"c\">]><model>&b;</model>", "<!DOCTYPE a><!DOCTYPE a><model/>",
      "<model a=\"1", "<model", "<model/", "<model a", "<model a=", "<model>&lt</model>",
    ]
  )
  func malformed(_ text: String) {
    let message = message(text)
    #expect(
      message.hasPrefix("contents:1: it is not") || message.hasPrefix("contents:2: it is not")
    )
  }

  @Test("Bytes that are no UTF-8, and elements without end, are errors")
  func hostile() {
    for bytes in [[0xFF, 0xFE, 0x3C, 0x00], Array("<model>".utf8) + [0xC3]] as [[UInt8]] {
      let error = #expect(throws: ModelError.self) {
        try ModelFile.draft(xml: Data(bytes), file: "contents")
      }
      #expect(error?.reason.contains("UTF-8") == true)
    }
    let deep = String(repeating: "<a>", count: 100_000)
    #expect(message(deep) == "contents:1: it is not well-formed XML")
  }
}
