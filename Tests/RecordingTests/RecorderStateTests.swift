import Contract
import Rowing
import Testing

@testable import Recording

struct RecorderStateTests {
    private let erg = StationID("erg-1")

    private func message(_ kind: StreamKind, _ sequence: UInt64, unix: UInt64 = 0) -> RingEntry {
        .message(
            DurableMessage(
                kind: kind, station: erg, sequence: sequence, unixMilliseconds: unix,
                bootMilliseconds: 0, payload: []))
    }

    /// Goal: numbers count per stream, and times only grow.
    /// Method: two kinds of one erg, with a wall clock that steps back a year.
    @Test func numbersAndTimes() {
        var state = RecorderState()
        let year: Int64 = 365 * 24 * 3600 * 1000
        #expect(state.assign(.stroke, of: erg, unixMilliseconds: 2 * year) == (1, 2 * year))
        #expect(state.assign(.stroke, of: erg, unixMilliseconds: year) == (2, 2 * year + 1))
        #expect(state.assign(.force, of: erg, unixMilliseconds: 3 * year) == (1, 3 * year))
        #expect(state.assign(.stroke, of: nil, unixMilliseconds: year) == (1, year))
    }

    /// Goal: a state comes back from its bytes, open session and all.
    /// Method: encode and decode; then every truncation, which must be refused and not trap.
    @Test func roundTrip() throws {
        var state = RecorderState()
        _ = state.assign(.gatewayEvent, of: nil, unixMilliseconds: 7)
        let station = try #require(erg)
        for _ in 0..<300 {
            _ = state.assign(.stroke, of: station, unixMilliseconds: 1_700_000_000_000)
        }
        state.open(SessionID("01HF0000000000000000000000"), of: station, at: 123_456)
        state.streams[station]?.checkpoint = [1, 2, 3]
        state.acknowledge(17, .stroke, of: station)
        state.streams[station]?.assignment.assign("a-17", until: .sessionEnd)
        let bytes = state.encode()
        #expect(RecorderState(decoding: bytes) == state)
        for count in 0..<bytes.count {
            #expect(RecorderState(decoding: Array(bytes.prefix(count))) == nil)
        }
    }

    /// Goal: sessions that are owed a manifest come back from the state's bytes, behind all that an
    /// earlier version reads; a manifest that is found in the ring settles them. Method: with the
    /// monitor's count and without; then the manifest of one.
    @Test func owedManifests() throws {
        let station = try #require(erg)
        var state = RecorderState()
        let sessions = ["01HF0000000000000000000000", "01HF0000000000000000000001"]
        for (session, strokes) in zip(sessions.map { SessionID($0) }, [nil, 46]) {
            state.open(session, of: station, at: 123_456)
            state.end(session, of: station, monitorStrokes: strokes)
        }
        #expect(state.ended.map(\.monitorStrokes) == [nil, 46])
        var settled = state
        settled.ended = []
        let bytes = state.encode()
        #expect(RecorderState(decoding: bytes) == state)
        #expect(bytes.starts(with: settled.encode()))
        let manifest = DurableMessage(
            kind: .manifest, station: station, sequence: 1, unixMilliseconds: 0,
            bootMilliseconds: 0, payload: Array(#"{"session_id":"\#(sessions[0])"}"#.utf8))
        state.observe(.message(manifest), isAcknowledged: false)
        #expect(state.ended.map(\.begun.session.text) == [sessions[1]])
    }

    /// Goal: of the numbers that a killed process gave out and that are lost, those are declared
    /// which the broker does not have. Method: ten were given out, the ring knows four; of ten, of
    /// seven, and of none the broker is known to have the record.
    @Test(arguments: [(10, nil), (7, 8...10), (0, 5...10)] as [(UInt64, ClosedRange<UInt64>?)])
    func lostNumbersThatTheBrokerHas(acknowledged: UInt64, declared: ClosedRange<UInt64>?) {
        var found = RecorderState()
        for _ in 0..<4 { _ = found.assign(.stroke, of: erg, unixMilliseconds: 0) }
        var highWater = found
        for _ in 0..<6 { _ = highWater.assign(.stroke, of: erg, unixMilliseconds: 0) }
        highWater.acknowledge(acknowledged, .stroke, of: erg)
        var state = found.recoveringNumbers(after: .killed(highWater: highWater, tornBytes: 0))
        let skipped = state.takeSkipped(StreamID(station: erg, kind: .stroke))
        #expect(skipped == declared)
        #expect(state.assign(.stroke, of: erg, unixMilliseconds: 0).sequence == 11)
    }

    /// Goal: records that the snapshot already covers change nothing; later ones move the numbers.
    /// Method: observe old and new messages on a state that has given out ten numbers.
    @Test func observingIsIdempotent() {
        var state = RecorderState()
        for _ in 0..<10 { _ = state.assign(.stroke, of: erg, unixMilliseconds: 1000) }
        let before = state
        for sequence in UInt64(1)...10 {
            state.observe(message(.stroke, sequence), isAcknowledged: false)
        }
        #expect(state == before)
        state.observe(message(.stroke, 11, unix: 5000), isAcknowledged: true)
        #expect(state.assign(.stroke, of: erg, unixMilliseconds: 0) == (12, 5001))
        #expect(state.backlog == 1)
    }

    /// Goal: the backlog counts what was given out and not acknowledged, over all streams.
    @Test func backlog() {
        var state = RecorderState()
        for _ in 0..<5 { _ = state.assign(.stroke, of: erg, unixMilliseconds: 0) }
        for _ in 0..<3 { _ = state.assign(.split, of: erg, unixMilliseconds: 0) }
        #expect(state.backlog == 8)
        state.acknowledge(4, .stroke, of: erg)
        state.acknowledge(2, .stroke, of: erg)
        #expect(state.backlog == 4)
    }
}
