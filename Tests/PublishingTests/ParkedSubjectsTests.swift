import Testing

@testable import Contract
@testable import Publishing
@testable import Timeline

/// Which of many subjects a broker ends the connection over.
@Suite struct ParkedSubjectsTests {
    private static let streams = (1...4).map { number in
        PublishSubject.stream(StreamID(station: StationID("seat-\(number)"), kind: .force))
    }
    private static let start = BootInstant(nanoseconds: 0)
    private let a = streams[0]
    private let b = streams[1]
    private let c = streams[2]

    private func end(
        _ parked: inout ParkedSubjects, _ unanswered: Set<PublishSubject>,
        lastLive: BootInstant? = nil, stood: Duration = .seconds(1), at now: BootInstant = start
    ) -> PublishSubject? {
        parked.connectionEnded(unanswered: unanswered, lastLive: lastLive, stood: stood, at: now)
    }

    /// Goal: the one of several is found with the second connection, and no innocent one is left out.
    /// Method: three under way; then one at a time, of which the second ends the connection.
    @Test func theSecondTimeTells() {
        var parked = ParkedSubjects()
        #expect(end(&parked, [a, b, c]) == nil && parked.isCareful)
        parked.answered(a)
        #expect(parked.isCareful)
        #expect(end(&parked, [b]) == b)
        #expect(parked.subjects == [b] && !parked.isCareful)
        #expect(parked.until(b) == Self.start.advanced(by: .seconds(60)))
        // Another of the same broker's is found likewise, although others had been answered before.
        #expect(end(&parked, [a, c]) == nil)
        #expect(end(&parked, [c]) == c)
    }

    /// Goal: a network that fails twice at different subjects parks none, nor a connection that stood for
    /// long. Method: ends with another subject each time, and the same one after a minute.
    @Test func accidentsParkNothing() {
        var parked = ParkedSubjects()
        #expect(end(&parked, [a]) == nil)
        parked.answered(a)
        #expect(!parked.isCareful)
        #expect(end(&parked, [b]) == nil)
        #expect(end(&parked, [b], stood: .seconds(61)) == nil)
        #expect(end(&parked, []) == nil && !parked.isCareful)
        #expect(parked.subjects.isEmpty)
    }

    /// Goal: live samples, for which nothing answers, are found too. Method: they and a record are under
    /// way; carefully the record is answered, and the connection ends again once live samples go out.
    @Test func liveSamples() {
        var parked = ParkedSubjects()
        #expect(end(&parked, [a], lastLive: Self.start) == nil && parked.isCareful)
        parked.answered(a)
        #expect(!parked.isCareful, "nothing answers for live samples: they are tried")
        #expect(end(&parked, [a], lastLive: Self.start) == .live)
        let later = Self.start.advanced(by: .seconds(5))
        #expect(end(&parked, [], lastLive: Self.start, at: later) == nil)
    }

    /// Goal: what is left out gets another chance after pauses that grow to an hour, and is forgotten once
    /// it is answered. Method: nine chances that fail, and one that does not.
    @Test func anotherChance() {
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
        _ = end(&parked, [a], stood: .seconds(61), at: now)
        _ = end(&parked, [a], at: now)
        #expect(parked.due == now.advanced(by: .seconds(60)), "the first pause again")
    }

    /// Goal: a suspect that is not to be published any more holds nothing up. Method: nothing waits.
    @Test func aSuspectThatIsGone() {
        var parked = ParkedSubjects()
        _ = end(&parked, [a, b])
        parked.answered(a)
        parked.nothingWaits()
        #expect(!parked.isCareful)
    }
}
