// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// The format of XML stores.
///
/// Source: observed, sqlite-format.md “XML store”: mapping models of Xcode are XML stores of Apple's
/// framework.
package struct XMLStoreFormat: StoreFileFormat {
  package let type = "XML"

  package init() {}

  // MARK: Reading

  package func metadata(of data: Data) throws -> StoredContent {
    try read(data, nil)
  }

  package func content(
    of data: Data,
    model: ModelDefinition,
    store: Int,
    isLenient: Bool
  ) throws -> StoredContent {
    let target = XMLStoreReader.Target(
      names: XMLStoreNames(model),
      isLenient: isLenient,
      builder: ContentBuilder(model: model, store: store)
    )
    return try read(data, target)
  }

  private func read(_ data: Data, _ target: XMLStoreReader.Target?) throws -> StoredContent {
    do {
      return try MarkupReader.read(data, file: nil, with: XMLStoreReader(target)).content()
    } catch let end as XMLStoreReader.End {
      return end.content
    } catch let fault as ContentFault {
      let place = fault.place.map { "line \($0): " } ?? ""
      throw StoreError(.corrupt, "\(place)\(fault.reason)")
    } catch let error as ModelError {
      throw StoreError(.corrupt, error.description)
    }
  }

  // MARK: Writing

  package func replacingMetadata(
    in data: Data,
    by metadata: StoreMetadata
  ) throws -> Data {
    let content = try read(data, nil)
    guard let place = content.metadataPlace else {
      throw StoreError(.corrupt, "<metadata> is missing")
    }
    var bytes = try MarkupText.utf8(data, file: nil)
    bytes.replaceSubrange(place, with: try XMLStoreWriter.metadata(metadata).utf8)
    return Data(bytes)
  }

  package func data(
    of content: StoreContent,
    metadata: StoreMetadata,
    identifier: String
  ) throws -> Data {
    var writer = XMLStoreWriter(content)
    try writer.writeInfo(metadata, identifier)
    writer.writeObjects()
    return writer.data
  }
}

/// Writes the elements of an XML store.
private struct XMLStoreWriter {
  private let content: StoreContent
  private let names: XMLStoreNames
  private var bytes: [UInt8] = []

  /// The version of the format, which is the same in all observed files.
  private static let version = 134_481_920

  init(_ content: StoreContent) {
    self.content = content
    names = XMLStoreNames(content.model).escaped
    bytes.reserveCapacity(4096 + content.rowCount * 256)
  }

  var data: Data { Data(bytes) }

  private mutating func write(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func writeInfo(_ metadata: StoreMetadata, _ identifier: String) throws {
    write(
      """
      <?xml version="1.0" standalone="yes"?>
      <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

      <database>
          <databaseInfo>
              <version>\(Self.version)</version>
              <UUID>\(identifier)</UUID>
              <nextObjectID>\(content.lastNumber + 1)</nextObjectID>
              \(try Self.metadata(metadata))
          </databaseInfo>

      """
    )
  }

  /// Returns the text of the `<metadata>` element.
  static func metadata(_ metadata: StoreMetadata) throws -> String {
    var own = metadata
    own.values[StoreMetadata.typeKey] = nil
    own.values[StoreMetadata.uuidKey] = nil
    do {
      let plist = try PropertyListMarkup.text(
        own.node(),
        indent: String(repeating: " ", count: 12)
      )
      return "<metadata>\n\(plist)        </metadata>"
    } catch let error as ModelError {
      let text = "The store's metadata cannot be written: \(error.reason)."
      throw CocoaError(.propertyListWriteInvalid, userInfo: [NSLocalizedDescriptionKey: text])
    }
  }

  mutating func writeObjects() {
    for root in content.model.entities where root.root == root.index {
      content.forEachRow(ofRoot: root.index) { number, entity, chunk, row in
        write("    <object type=\"\(names.entities[entity.index])\" id=\"z\(number)\">\n")
        for property in entity.properties {
          if let attribute = property.attribute {
            if !property.isStored || chunk.isNull(row, property.slot) { continue }
            write(attribute, entity, (chunk, row), slot: property.slot)
          } else if property.relationship != nil, !property.isTransient {
            write(property, entity, (chunk, row), of: number)
          }
        }
        write("    </object>\n")
      }
    }
    write("</database>")
  }

  private mutating func write(
    _ attribute: AttributeDefinition,
    _ entity: EntityDefinition,
    _ place: ChunkRow,
    slot: Int
  ) {
    let (chunk, row) = place
    let value = XMLStoreValue(attribute: attribute)
    let text = value.text(chunk, row, slot)
    write("        <attribute name=\"\(names.properties[entity.index][slot])\"")
    write(" type=\"\(value.typeName)\"")
    if text.isEncoded { write(" encoding=\"base64\"") }
    write(">")
    bytes.append(contentsOf: text.bytes)
    write("</attribute>\n")
  }

  private mutating func write(
    _ property: PropertyDefinition,
    _ entity: EntityDefinition,
    _ place: ChunkRow,
    of number: Int64
  ) {
    let (chunk, row) = place
    guard let relationship = property.relationship else { return }
    write("        <relationship name=\"\(names.properties[entity.index][property.slot])\"")
    write(" type=\"\(property.isToMany ? "0/0" : "1/1")\"")
    write(" destination=\"\(names.entities[relationship.destination])\"")
    let references =
      property.isToMany
      ? content.members(of: number, entity, property.slot)
      : chunk.isNull(row, property.slot) ? [] : [content.reference(chunk, row, property.slot)]
    if !references.isEmpty {
      write(" idrefs=\"\(references.map { "z\($0)" }.joined(separator: " "))\"")
    }
    write("></relationship>\n")
  }
}
