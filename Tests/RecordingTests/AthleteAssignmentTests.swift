import Rowing
import Testing

@testable import Recording

@Suite struct AthleteAssignmentTests {
    private let first = SessionID("01HF0000000000000000000001")
    private let second = SessionID("01HF0000000000000000000002")

    @Test func assignmentEndsWithTheSession() {
        var assignment = AthleteAssignment()
        assignment.assign("a-1", until: .sessionEnd)
        #expect(assignment.athlete(in: first) == "a-1")
        assignment.ended(first)
        #expect(assignment.athlete == nil)
        assignment.assign("a-2", until: .changed)
        #expect(assignment.athlete(in: first) == "a-1")
        #expect(assignment.athlete(in: second) == "a-2")
        assignment.ended(second)
        #expect(assignment.athlete == "a-2")
        // A repeated end of a session does not end an assignment.
        assignment.assign("a-3", until: .sessionEnd)
        assignment.ended(second)
        #expect(assignment.athlete == "a-3" && assignment.athlete(in: second) == "a-2")
    }

    @Test func forgetsAnAthlete() {
        var assignment = AthleteAssignment()
        assignment.assign("a-1", until: .sessionEnd)
        assignment.ended(first)
        assignment.assign("a-2", until: .changed)
        assignment.forget("a-1")
        #expect(assignment.athlete(in: first) == nil && assignment.athlete == "a-2")
        assignment.forget("a-2")
        #expect(assignment.athlete == nil)
    }
}
