# SPDX-License-Identifier: Apache-2.0
"""Writes a package with a target of 300 sources, of which 200 belong to 100 classes as Xcode writes them."""
import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
target = folder / "Sources/Shop"
target.mkdir(parents=True)
ATTRIBUTES = [
    ("title", "String", "String?", False), ("note", "String", "String?", False), ("added", "Date", "Date?", False),
    ("identifier", "UUID", "UUID?", False), ("link", "URI", "URL?", False), ("photo", "Binary", "Data?", False),
    ("amount", "Integer 32", "Int32", True), ("count", "Integer 64", "Int64", True),
    ("isSold", "Boolean", "Bool", True), ("weight", "Double", "Double", True),
    ("price", "Decimal", "NSDecimalNumber?", False), ("labels", "Transformable", "[String]?", False),
]
(folder / "Package.swift").write_text('''// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Shop",
  dependencies: [.package(name: "swift-coredata", path: "ROOT")],
  targets: [
    .target(
      name: "Shop",
      dependencies: [.product(name: "CoreData", package: "swift-coredata")],
      plugins: [.plugin(name: "CoreDataModelPlugin", package: "swift-coredata")])
  ])
''')
entities = []
for i in range(100):
    name, other = f"Entity{i}", f"Entity{(i + 1) % 100}"
    before = f"Entity{(i + 99) % 100}"
    head = f"//\n//  {name}.swift\n//  Shop\n//\n\nimport Foundation\nimport CoreData\n\n"
    (target / f"{name}+CoreDataClass.swift").write_text(
        head + f"@objc({name})\npublic class {name}: NSManagedObject {{\n\n}}\n".replace(f"@objc({name})\n", ""))
    lines = [f"    @NSManaged public var {n}: {t}" for n, _, t, _ in ATTRIBUTES]
    lines += [f"    @NSManaged public var children: NSSet?", f"    @NSManaged public var parent: {before}?"]
    functions = [f"    @NSManaged public func {v}Children(_ {p}: {t})"
                 for v, p, t in [("addTo", "value", other), ("removeFrom", "value", other), ("addTo", "values", "NSSet"),
                                 ("removeFrom", "values", "NSSet")]]
    (target / f"{name}+CoreDataProperties.swift").write_text(
        head + f"extension {name} {{\n\n    @nonobjc public class func fetchRequest() -> NSFetchRequest<{name}> {{\n"
        f'        return NSFetchRequest<{name}>(entityName: "{name}")\n    }}\n\n' + "\n".join(lines) + "\n\n}\n\n"
        f"// MARK: Generated accessors for children\nextension {name} {{\n\n" + "\n\n".join(functions) + "\n\n}\n")
    body = "\n".join(
        f"  /// Returns the titles that contain a text, {k} times.\n  func titles{k}(_ text: String) -> [String] {{\n"
        f"    items.compactMap(\\.title).filter {{ $0.contains(text) && $0.count > {k} }}\n  }}\n" for k in range(12))
    (target / f"View{i}.swift").write_text(
        f"import CoreData\n\n/// Shows objects of {name}.\nstruct View{i} {{\n  var items: [{name}] = []\n\n{body}}}\n")
    attributes = "".join(
        f'        <attribute name="{n}" optional="YES" attributeType="{m}"'
        + (' defaultValueString="0"' if s and m != "Boolean" else "")
        + f' usesScalarValueType="{"YES" if s else "NO"}"/>\n' for n, m, _, s in ATTRIBUTES)
    entities.append(
        f'    <entity name="{name}" representedClassName="{name}" syncable="YES">\n{attributes}'
        f'        <relationship name="children" optional="YES" toMany="YES" deletionRule="Nullify" '
        f'destinationEntity="{other}" inverseName="parent" inverseEntity="{other}"/>\n'
        f'        <relationship name="parent" optional="YES" maxCount="1" deletionRule="Nullify" '
        f'destinationEntity="{before}" inverseName="children" inverseEntity="{before}"/>\n    </entity>\n')
contents = target / "Shop.xcdatamodeld/Shop.xcdatamodel"
contents.mkdir(parents=True)
(contents / "contents").write_text(
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    '<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">\n' + "".join(entities) + "</model>\n")
