// SPDX-License-Identifier: Apache-2.0

/// Assigns the vertical segments of the lines between two columns to tracks, so that few of them overlap.
struct DiagramTracks {
  /// The part of a line between two columns: a vertical segment from the y position `from` to `to`.
  struct Crossing {
    let from: Double
    let to: Double
    /// Whether the line ends in the column where it starts.
    let returns: Bool
    /// The group of the crossing, such as the lines from all children to one parent; nil for no group.
    ///
    /// Crossings of the same group share a track and may overlap.
    let group: Int?
  }

  /// Returns the track of each crossing, counted from the left, and the number of tracks.
  static func assign(_ crossings: [Crossing]) -> (tracks: [Int], count: Int) {
    var tracks = [Int](repeating: 0, count: crossings.count)
    var placed: [Int] = []
    var groupTracks: [Int: Int] = [:]
    for index in order(crossings) {
      let crossing = crossings[index]
      if abs(crossing.from - crossing.to) < 0.5 { continue }
      if let group = crossing.group, let track = groupTracks[group] {
        tracks[index] = track
        placed.append(index)
        continue
      }
      var track = 0
      for other in placed where overlap(crossing, crossings[other]) {
        // A crossing is placed to the right of the earlier crossings in the same direction that it overlaps,
        // so that fewer lines intersect.
        if isDown(crossings[other]) == isDown(crossing) { track = max(track, tracks[other] + 1) }
      }
      while placed.contains(where: {
        tracks[$0] == track && overlap(crossing, crossings[$0])
      }) {
        track += 1
      }
      tracks[index] = track
      if let group = crossing.group { groupTracks[group] = track }
      placed.append(index)
    }
    return (tracks, (placed.map { tracks[$0] }.max() ?? -1) + 1)
  }

  /// Returns the indexes of the crossings in the order in which `assign` places them.
  ///
  /// First come the crossings that return, shortest first; then the downward crossings, lowest start first;
  /// then the upward crossings, highest start first.
  private static func order(_ crossings: [Crossing]) -> [Int] {
    crossings.indices.sorted { left, right in
      let (a, b) = (crossings[left], crossings[right])
      if a.returns != b.returns { return a.returns }
      if a.returns {
        return (abs(a.from - a.to), left) < (abs(b.from - b.to), right)
      }
      if isDown(a) != isDown(b) { return isDown(a) }
      return isDown(a) ? (b.from, left) < (a.from, right) : (a.from, left) < (b.from, right)
    }
  }

  private static func isDown(_ crossing: Crossing) -> Bool { crossing.to > crossing.from }

  private static func overlap(_ a: Crossing, _ b: Crossing) -> Bool {
    let space = 5.0
    return min(a.from, a.to) < max(b.from, b.to) + space
      && min(b.from, b.to) < max(a.from, a.to) + space
  }
}
