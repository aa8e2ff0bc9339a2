// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataCodeGeneration
import _CoreDataModel

/// The file in which the plugin lists a target's sources, because a command line cannot hold hundreds of
/// paths.
///
/// Each line consists of a keyword and a name or path:
/// - `module NAME` is the target's module; the target's sources follow.
/// - `dependency NAME` is another module; the sources of that module follow.
/// - `source PATH` is a source of the preceding module.
/// - `model PATH` is a model of the target.
/// - `mapping PATH` is a mapping model of the target.
enum SourceList {
  /// - Throws: `ModelError` if the file cannot be read, or if it has no line with `module`.
  static func input(at path: String) throws -> ManagedAccessors.Input {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw ModelError(file: path, reason: "the list of sources cannot be read")
    }
    var input: ManagedAccessors.Input?
    var dependency: String?
    for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { continue }
      switch parts[0] {
      case "module": input = ManagedAccessors.Input(module: parts[1], sources: [])
      case "dependency": dependency = parts[1]
      case "model": input?.models.append(parts[1])
      case "mapping": input?.mappings.append(parts[1])
      case "source":
        if let dependency {
          input?.dependencies[dependency, default: []].append(parts[1])
        } else {
          input?.sources.append(parts[1])
        }
      default: break
      }
    }
    guard let input else {
      throw ModelError(
        file: path,
        reason: "the list of sources has no line with the keyword “module”"
      )
    }
    return input
  }
}
