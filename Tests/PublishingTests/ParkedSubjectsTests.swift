import Testing

@testable import Contract
@testable import Publishing
@testable import Timeline

/// Detection of the subject over which a broker ends the connection.
@Suite struct ParkedSubjectsTests {
    private static let streams = (1...4).map { number in
        PublishSubject.stream(StreamID(station: StationID("seat-\(number)"), kind: .force))
    }
    private static let start = BootInstant(nanoseconds: 0)
    private let a = streams[0]
    private let b = streams[1]
    private let c = streams[2]

    private func end(
        _ parked: inout ParkedSubjects, _ unacknowledged: Set<PublishSubject>,
        lastLive: BootInstant? = nil, lasted: Duration = .seconds(1), at now: BootInstant = start
    ) -> PublishSubject? {
        parked.connectionEnded(unacknowledged: unacknowledged, lastLive: lastLive, lasted: lasted, at: now)
    }

    @Test func parksTheSubjectOfASecondDisconnect() {
        var parked = ParkedSubjects()
        #expect(end(&parked, [a, b, c]) == nil && parked.isCareful)
        parked.answered(a)
        #expect(parked.isCareful)
        #expect(end(&parked, [b]) == b)
        #expect(parked.subjects == [b] && !parked.isCareful)
        #expect(parked.until(b) == Self.start.advanced(by: .seconds(60)))
        // A second subject is found too, although others were acknowledged before.
        #expect(end(&parked, [a, c]) == nil)
        #expect(end(&parked, [c]) == c)
    }

    @Test func parksNothingAfterUnrelatedDisconnects() {
        var parked = ParkedSubjects()
        #expect(end(&parked, [a]) == nil)
        parked.answered(a)
        #expect(!parked.isCareful)
        #expect(end(&parked, [b]) == nil)
        #expect(end(&parked, [b], lasted: .seconds(61)) == nil)
        #expect(end(&parked, []) == nil && !parked.isCareful)
        #expect(parked.subjects.isEmpty)
    }

    /// The broker never acknowledges live samples, so they become suspects only by the time of the last
    /// one.
    @Test func parksLiveSamples() {
        var parked = ParkedSubjects()
        #expect(end(&parked, [a], lastLive: Self.start) == nil && parked.isCareful)
        parked.answered(a)
        #expect(!parked.isCareful, "live samples are tried, because they are never acknowledged")
        #expect(end(&parked, [a], lastLive: Self.start) == .live)
        let later = Self.start.advanced(by: .seconds(5))
        #expect(end(&parked, [], lastLive: Self.start, at: later) == nil)
    }

    @Test func retriesAParkedSubjectWithGrowingPauses() {
        var parked = ParkedSubjects()
        var now = Self.start
        _ = end(&parked, [a])
        #expect(end(&parked, [a]) == a)
        var pauses: [Duration] = []
        for _ in 0..<9 {
            #expect(parked.next(at: now) == nil, "too early")
            let due = parked.due ?? now
            pauses.append(now.duration(to: due))
            now = due
            #expect(parked.next(at: now) == a)
            #expect(parked.isCareful && !parked.isParked(a) && parked.next(at: now) == nil)
            #expect(end(&parked, [a], at: now) == a)
        }
        #expect(pauses == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600].map { .seconds($0) })
        now = parked.due ?? now
        _ = parked.next(at: now)
        parked.answered(a)
        #expect(parked.due == nil && !parked.isCareful)
        _ = end(&parked, [a], lasted: .seconds(61), at: now)
        _ = end(&parked, [a], at: now)
        #expect(parked.due == now.advanced(by: .seconds(60)), "the first pause again")
    }

    @Test func clearsSuspectsOnceAllIsAcknowledged() {
        var parked = ParkedSubjects()
        _ = end(&parked, [a, b])
        parked.answered(a)
        parked.allAcknowledged()
        #expect(!parked.isCareful)
    }
}
