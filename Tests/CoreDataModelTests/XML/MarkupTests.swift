// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel

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
      "<?xml version='1.0'?><?a > ?>\n<model><?b?><entity name=\"E\"/></model><?c d='?'?>",
      "<?xml-stylesheet href='a'?><model><entity name=\"E\"/></model>",
      "<model xmlns:c='d'><c:entity name=\"F\"/><entity name=\"E\" c:name=\"F\"/></model>",
      "<?xml version='1.0' encoding='ISO-8859-1'?><model><entity name=\"E\"/></model>",
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
    #expect(try name("'&#x000000000000000041;'") == ["A"])
    #expect(try name("\"a\tb\r\nc&#10;d\"") == ["a b c\nd"])
  }

  @Test("Lines are counted, also behind ends of lines of any kind")
  func lines() throws {
    let text =
      "<!--\n\n-->\r\n<model>\n  <entity name=\"E\">\n    <attribute\n name=\"a\"/></entity></model>"
    #expect(try draft(text).entities.first?.properties.first?.line == 6)
    let old = text.replacingOccurrences(of: "\r\n", with: "\n")
      .replacingOccurrences(of: "\n", with: "\r")
    #expect(try draft(old).entities.first?.properties.first?.line == 6)
  }

  @Test(
    "Text in UTF-16 is read by its mark of the byte order",
    arguments: [String.Encoding.utf16LittleEndian, .utf16BigEndian]
  )
  func utf16(_ encoding: String.Encoding) throws {
    let text = "\u{FEFF}<?xml version='1.0' encoding='UTF-16'?>\n<model><entity name='É😀'/></model>"
    let data = try #require(text.data(using: encoding))
    let draft = try ModelFile.draft(xml: data, file: "contents")
    #expect(draft.entities.map(\.name) == ["É😀"])
    #expect(draft.entities.first?.line == 2)
    // Half of a pair, and half of a unit.
    for broken in [data.prefix(data.count - 20) + [0xD8, 0xD8], data.dropLast()] {
      let error = #expect(throws: ModelError.self) {
        try ModelFile.draft(xml: Data(broken), file: "contents")
      }
      #expect(error?.line == 2)
    }
  }

  @Test(
    "What is wrong is said, with the element that it is about",
    arguments: [
      (
        "<model>\n<entity name='E'>\n</model>",
        "3: </model> does not match <entity> on line 2"
      ),
      ("<model>\n<entity>\n<a/>\n", "4: <entity> on line 2 is not closed"),
      ("<model>\n<a b='1'\n b='2'/></model>", "3: <a> has the attribute b twice"),
      ("<model>\n<a b='1\n2", "3: the value of the attribute b of <a> is not terminated"),
      (
        "<model>\n<a b='&#x110000;'/></model>",
        "2: &#x110000; does not refer to a character that XML allows"
      ),
      (
        "<model>\n<a b='&#xFFFFFFFFFFFFFFFFFF;'/></model>",
        "2: &#xFFFFFFFFFFFFFFFFFF; does not refer to a character that XML allows"
      ),
      (
        "<model a='&none;'/>",
        "1: the entity &none; is not defined; write &amp; for the character &"
      ),
      (
        "<model>a & b</model>",
        "1: & begins a reference without a semicolon; write &amp; for the character &"
      ),
      ("plain", "1: an element is expected, but “p” follows"),
      ("<!-- a -->", "1: an element is expected, but the end of the text follows"),
      ("<1/>", "1: the name of an element is expected, but “1” follows"),
      (
        "<model a='1' 2='3'/>",
        "1: the name of an attribute of <model> is expected, but “2” follows"
      ),
      ("<model a='1'b='2'/>", "1: “b” in the tag <model must follow white space"),
      ("<model a", "1: the tag <model is not terminated"),
      ("<model a=", "1: the tag <model is not terminated"),
      ("<model a='<'/>", "1: the value of the attribute a of <model> contains <; write &lt;"),
      ("<model>\u{1}</model>", "1: the text contains U+0001, which XML does not allow"),
      ("<!-- a --", "1: a comment is not terminated"),
      ("<!DOCTYPE><m/>", "1: white space is missing after <!DOCTYPE"),
      ("<model>\n<!-- a", "2: a comment is not terminated"),
      ("<model>\n<!-- a --- ></model>", "2: a comment contains --"),
      ("<model>\n<![CDATA[ ]]", "2: a CDATA section is not terminated"),
      ("<model>\n<?a", "2: a processing instruction is not terminated"),
      (
        "<model/>\n<?xml version='1.0'?>",
        "2: <?xml must be at the start of the text, and white space must follow it"
      ),
      ("<model/>\n<model/>", "2: there is content after the end of <model>"),
      ("<!DOCTYPE m SYSTEM 'a\n><m/>", "2: the document type declaration is not terminated"),
    ]
  )
  func reasons(_ text: String, _ expected: String) {
    let parts = expected.split(separator: ": ", maxSplits: 1)
    #expect(message(text) == "contents:\(parts[0]): the XML is not well-formed: \(parts[1])")
  }

  @Test(
    "Well-formed XML that is not supported is not called malformed",
    arguments: [
      (
        "<!DOCTYPE m [\n<!ENTITY a 'b'>]><m/>",
        "a document type declaration with an internal subset is not supported; remove the subset"
      ),
      (
        "<?xml version='1.0' encoding='ISO-8859-1'?>\n<é/>",
        "the encoding ISO-8859-1 is not supported; use UTF-8 or UTF-16"
      ),
      (
        String(repeating: "<a>", count: 300) + String(repeating: "</a>", count: 300),
        "elements are nested more than 256 levels deep"
      ),
    ]
  )
  func unsupported(_ text: String, _ expected: String) {
    #expect(message(text) == "contents:1: the XML cannot be read: \(expected)")
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
      "<model><!--</model>", "<model><![CDATA[</model>", "<model><?php ></model>", "<?xml",
      "<!DOCTYPE a [<!ENTITY b \"c\">]><model>&b;</model>", "<!DOCTYPE a><!DOCTYPE a><model/>",
      "<model a=\"1", "<model", "<model/", "<model a", "<model a=", "<model>&lt</model>",
    ]
  )
  func malformed(_ text: String) {
    let message = message(text)
    #expect(
      message.hasPrefix("contents:1: the XML ") || message.hasPrefix("contents:2: the XML ")
    )
  }

  @Test("Bytes that are no UTF-8, and elements without end, are errors")
  func hostile() {
    for bytes in [[0x3C, 0x0A, 0xFF, 0xFE, 0x00], Array("<model>\n".utf8) + [0xC3]] as [[UInt8]] {
      let error = #expect(throws: ModelError.self) {
        try ModelFile.draft(xml: Data(bytes), file: "contents")
      }
      #expect(error?.reason.contains("UTF-8") == true)
      #expect(error?.line == 2)
    }
    let deep = String(repeating: "<a>", count: 100_000)
    #expect(message(deep).hasSuffix(": elements are nested more than 256 levels deep"))
  }
}
