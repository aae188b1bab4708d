import Rowing
import Testing

@testable import RowgateDaemon

@Suite struct SeatingTests {
    private let first = SessionID("01HF0000000000000000000001")
    private let second = SessionID("01HF0000000000000000000002")

    @Test func untilTheSessionEnds() {
        // Goal: an athlete's assignment ends with the session, and what comes later of it is still
        // theirs. Method: two sessions, the second athlete assigned before the first's summary.
        var seating = Seating()
        seating.assign("a-1", until: .sessionEnd)
        #expect(seating.athlete(in: first) == "a-1")
        seating.ended(first)
        #expect(seating.athlete == nil)
        seating.assign("a-2", until: .changed)
        #expect(seating.athlete(in: first) == "a-1")
        #expect(seating.athlete(in: second) == "a-2")
        seating.ended(second)
        #expect(seating.athlete == "a-2")
        // A session whose end is told twice ends nobody's assignment.
        seating.assign("a-3", until: .sessionEnd)
        seating.ended(second)
        #expect(seating.athlete == "a-3" && seating.athlete(in: second) == "a-2")
    }

    @Test func forgotten() {
        // Goal: a forgotten athlete is nowhere. Method: one who sits, one who sat.
        var seating = Seating()
        seating.assign("a-1", until: .sessionEnd)
        seating.ended(first)
        seating.assign("a-2", until: .changed)
        seating.forget("a-1")
        #expect(seating.athlete(in: first) == nil && seating.athlete == "a-2")
        seating.forget("a-2")
        #expect(seating.athlete == nil)
    }
}
