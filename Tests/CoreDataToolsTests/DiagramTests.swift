// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel
import _CoreDataTools

struct DiagramTests {
  private func model(_ body: String) throws -> ModelDefinition {
    try ModelDefinition(
      ModelFile.draft(xml: Data("<model>\(body)</model>".utf8), file: "m.contents")
    )
  }

  private static func shared() -> [URL] {
    let path = ProcessInfo.processInfo.environment["COREDATA_SHARED"] ?? "../shared"
    let folder = URL(fileURLWithPath: path).appendingPathComponent("fixtures/models")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".contents") }.sorted()
      .map { folder.appendingPathComponent($0) }
  }

  @Test func endsSayHowManyObjectsThereMayBe() throws {
    let diagram = Diagram(
      try model(
        """
        <entity name="Team"><relationship name="players" toMany="YES" destinationEntity="Player"
          inverseName="team" inverseEntity="Player"/></entity>
        <entity name="Player"><relationship name="team" optional="YES" maxCount="1"
          destinationEntity="Team" inverseName="players" inverseEntity="Team"/></entity>
        """
      )
    )
    let link = try #require(diagram.links.first)
    #expect(diagram.links.count == 1)
    #expect(diagram.boxes.map(\.name) == ["Player", "Team"])
    #expect(link.from.box == 0 && link.from.count == .oneOrMore)
    #expect(link.to.box == 1 && link.to.count == .zeroOrOne)
    let mermaid = DiagramMermaid.text(diagram)
    #expect(mermaid.contains("Player }|--o| Team : \"team / players\""))
    #expect(
      DiagramDOT.text(diagram, title: "m").contains(
        "n0:r0 -> n1:l0 [arrowtail=crowtee, arrowhead=teeodot];"
      )
    )
  }

  /// The promises of the picture, on every model there is.
  @Test(.enabled(if: !shared().isEmpty, "no shared models"))
  func boxesNeverOverlapAndLinesNeverTouchAnyBoxButTheirEnds() throws {
    var checked = 0
    for url in Self.shared() {
      guard let loaded = try? ModelOpening.load(url) else { continue }
      let layout = DiagramLayout(Diagram(loaded.definition))
      let name = url.lastPathComponent
      for (index, frame) in layout.frames.enumerated() {
        #expect(frame.x >= 0 && frame.y >= 0, "\(name)")
        #expect(frame.right <= layout.width && frame.bottom <= layout.height, "\(name)")
        for other in layout.frames.dropFirst(index + 1) {
          let apart =
            frame.right <= other.x || other.right <= frame.x || frame.bottom <= other.y
            || other.bottom <= frame.y
          #expect(apart, "\(name): two boxes overlap")
        }
      }
      for (link, line) in layout.lines.enumerated() {
        #expect(line.count >= 2, "\(name): a line is missing")
        checked += 1
        for (a, b) in zip(line, line.dropFirst()) {
          #expect(abs(a.x - b.x) < 0.01 || abs(a.y - b.y) < 0.01, "\(name): an oblique line")
          for frame in layout.frames where Self.enters(a, b, frame) {
            Issue.record("\(name): \(layout.diagram.links[link].name) crosses a box")
          }
        }
      }
    }
    #expect(checked > 500)
  }

  private static func enters(_ a: DiagramPoint, _ b: DiagramPoint, _ frame: DiagramFrame) -> Bool {
    min(a.x, b.x) < frame.right - 0.5 && max(a.x, b.x) > frame.x + 0.5
      && min(a.y, b.y) < frame.bottom - 0.5 && max(a.y, b.y) > frame.y + 0.5
  }

  @Test func thePictureIsWellFormedAndTheSameEveryTime() throws {
    let text = """
      <entity name="A &amp; B"><attribute name="x" attributeType="String"/></entity>
      <entity name="C" parentEntity="A &amp; B"/>
      """
    let first = DiagramSVG(Diagram(try model(text)), title: "<m>").text
    #expect(first == DiagramSVG(Diagram(try model(text)), title: "<m>").text)
    let parser = XMLParserCheck(first)
    #expect(parser.isWellFormed)
    #expect(first.contains("A &amp; B"))
    #expect(first.contains("class=\"top\""))
  }
}
