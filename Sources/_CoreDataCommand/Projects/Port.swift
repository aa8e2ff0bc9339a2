// SPDX-License-Identifier: Apache-2.0

#if Command
import ArgumentParser
import Foundation
import _CoreDataPort
import _CoreDataTools

struct Port: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Rewrites what Swift on Linux refuses in sources that use Core Data.",
    discussion: """
      Puts @objc into #if canImport(ObjectiveC), replaces #keyPath with a string, and the like. The files \
      still build on Apple's systems. Strings and comments are not changed. Models in the folders supply the \
      properties of generated classes.

      The default, --check, lists what can be rewritten (note) and what a person has to change (warning), \
      with file, line and column. --diff prints a patch. --write changes the files; running it again changes \
      nothing.

      Exit codes: 0 nothing is left for a person; 1 something is left; 2 a file cannot be read or written.

        coredata port Sources
        coredata port Shop --diff > port.patch
        coredata port Shop --write
        coredata port Shop --exclude Shop/Views --exclude Shop/AppDelegate.swift
      """
  )

  enum Mode: String, EnumerableFlag {
    case check, diff, write

    static func help(for value: Mode) -> ArgumentHelp? {
      switch value {
      case .check: "List what can be rewritten and what is left; the default."
      case .diff: "Print the changes as a patch."
      case .write: "Change the files."
      }
    }
  }

  @Argument(help: "The folders of a project or target, or .swift files.", completion: .file())
  var paths: [String]

  @Option(
    help: ArgumentHelp(
      "A folder or file to leave out, such as a folder of views; may be repeated.",
      valueName: "path"
    ),
    completion: .file()
  )
  var exclude: [String] = []

  @Flag(exclusivity: .exclusive)
  var mode = Mode.check

  @Flag(help: "Port files that have nothing to do with Core Data too.")
  var all = false

  func run() throws {
    try Report.running {
      let project = try SourceProject(paths: paths, excluding: exclude)
      for problem in project.modelProblems { Terminal.printError("coredata: \(problem)") }
      let report = PortReport(project, all: all)
      switch mode {
      case .check: check(report)
      case .diff: diff(report)
      case .write: try write(report)
      }
      for problem in project.unreadable { Terminal.printError("coredata: \(problem)") }
      if !project.unreadable.isEmpty { throw ExitCode(2) }
      if report.leftCount > 0 { throw ExitCode.failure }
    }
  }

  private func check(_ report: PortReport) {
    for line in report.lines + report.unrelatedLines { Terminal.write(line + "\n") }
    Terminal.write(report.summary(written: false) + "\n")
  }

  private func diff(_ report: PortReport) {
    for source in report.changed { Terminal.write(UnifiedDiff(source).text) }
    for line in report.leftLines(afterWriting: false) { Terminal.printError(line) }
  }

  private func write(_ report: PortReport) throws {
    for source in report.changed {
      do {
        try SourceProject.write(source)
      } catch {
        throw ToolError(
          "\(source.path): the file cannot be written: \(error.localizedDescription)",
          hint: "The files that are listed above were written; the others are unchanged."
        )
      }
      Terminal.write("wrote \(source.path)\n")
    }
    for line in report.leftLines(afterWriting: true) { Terminal.write(line + "\n") }
    Terminal.write(report.summary(written: true) + "\n")
  }
}
#endif
