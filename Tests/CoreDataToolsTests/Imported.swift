// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataTools

/// Writes the records to a file of that name beside the library, imports it into one of its stores, and
/// gives the report.
func imported(
  _ text: String,
  as name: String = "in.ndjson",
  entity: String? = nil,
  to store: String,
  of library: Library,
  keys: [String] = [],
  ignoresUnknown: Bool = false
) throws -> ImportReport {
  let file = library.folder.appendingPathComponent(name)
  try Data(text.utf8).write(to: file)
  let opened = try OpenedStore(
    library.folder.appendingPathComponent(store),
    loaded: library.loaded,
    isWritable: true
  )
  defer { opened.rows.close() }
  var options = Importer.Options()
  options.ignoresUnknown = ignoresUnknown
  return try Importer(
    opened,
    file: RecordFile(file, format: nil, entity: entity),
    keys: NaturalKeys(opened.model, given: keys),
    options: options
  ).run()
}
