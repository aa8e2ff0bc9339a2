// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataGraph

/// What a list that does not receive all events knows of that.
@Suite("A list's state of following its context")
struct FollowStateTests {
  private func state(_ steps: (inout FollowState) -> Void) -> FollowState {
    var state = FollowState.idle
    steps(&state)
    return state
  }

  @Test("A fetched list follows at once, whatever events there were before")
  func firstResume() {
    #expect(state { $0.resume(at: 7) } == .following)
    #expect(!FollowState.idle.isFollowing)
    #expect(FollowState.following.isFollowing)
  }

  @Test("A pause without events leaves nothing to catch up with")
  func pauseWithoutEvents() {
    let state = state { state in
      state.resume(at: 7)
      state.pause(at: 9, isBehind: false)
      state.resume(at: 9)
    }
    #expect(state == .following)
  }

  @Test("A pause with events makes the list catch up, once")
  func pauseWithEvents() {
    var state = state { state in
      state.pause(at: 9, isBehind: false)
      state.resume(at: 10)
    }
    #expect(state == .catchingUp)
    #expect(state.isFollowing)
    let hadMissed = state.endCatchingUp()
    #expect(hadMissed)
    #expect(state == .following)
    let hasMissedAgain = state.endCatchingUp()
    #expect(!hasMissedAgain)
  }

  @Test("A list that was behind when it paused catches up without another event")
  func behind() {
    let state = state { state in
      state.resume(at: 7)
      state.pause(at: 9, isBehind: true)
      state.resume(at: 9)
    }
    #expect(state == .catchingUp)
  }

  @Test("A second pause does not hide that the list has to catch up")
  func secondPause() {
    let state = state { state in
      state.pause(at: 1, isBehind: false)
      state.resume(at: 2)
      state.pause(at: 2, isBehind: false)
      state.pause(at: 5, isBehind: false)
      state.resume(at: 2)
    }
    #expect(state == .catchingUp)
  }

  @Test("An invalidated list neither pauses nor resumes")
  func invalidated() {
    var state = FollowState.invalidated
    state.resume(at: 1)
    state.pause(at: 1, isBehind: true)
    let hadMissed = state.endCatchingUp()
    #expect(state == .invalidated)
    #expect(!hadMissed)
    #expect(!state.isFollowing)
  }
}
