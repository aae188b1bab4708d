import Bytes
import Contract
import Insights
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

    @Test func numbersPerStreamAndIncreasingTimes() {
        var state = RecorderState()
        let year: Int64 = 365 * 24 * 3600 * 1000
        #expect(state.assign(.stroke, of: erg, unixMilliseconds: 2 * year) == (1, 2 * year))
        #expect(state.assign(.stroke, of: erg, unixMilliseconds: year) == (2, 2 * year + 1))
        #expect(state.assign(.force, of: erg, unixMilliseconds: 3 * year) == (1, 3 * year))
        #expect(state.assign(.stroke, of: nil, unixMilliseconds: year) == (1, year))
    }

    /// Truncated bytes must be refused without a trap.
    @Test func roundTrip() throws {
        var state = RecorderState()
        _ = state.assign(.gatewayEvent, of: nil, unixMilliseconds: 7)
        let station = try #require(erg)
        for _ in 0..<300 {
            _ = state.assign(.stroke, of: station, unixMilliseconds: 1_700_000_000_000)
        }
        state.open(SessionID("01HF0000000000000000000000"), of: station, at: 123_456)
        state.stationStates[station]?.checkpoint = [1, 2, 3]
        state.acknowledge(17, .stroke, of: station)
        state.stationStates[station]?.assignment.assign("a-17", until: .sessionEnd)
        let bytes = state.encode()
        #expect(RecorderState(decoding: bytes) == state)
        // The bytes of an earlier version are a prefix.
        state.knowsEveryKind = false
        let earlier = state.encode()
        #expect(bytes.starts(with: earlier))
        for count in 0..<bytes.count {
            let found = RecorderState(decoding: Array(bytes.prefix(count)))
            #expect(found == ((0...1).contains(count - earlier.count) ? state : nil), "\(count)")
        }
    }

    /// An earlier version ignores them, because they follow its fields.
    @Test func codesPendingManifests() throws {
        let station = try #require(erg)
        var state = RecorderState()
        let sessions = ["01HF0000000000000000000000", "01HF0000000000000000000001"]
        for (session, strokes) in zip(sessions.map { SessionID($0) }, [nil, 46]) {
            state.open(session, of: station, at: 123_456)
            state.end(session, of: station, monitorStrokes: strokes)
        }
        #expect(state.ended.map(\.monitorStrokes) == [nil, 46])
        var settled = state
        (settled.ended, settled.knowsEveryKind) = ([], false)
        let bytes = state.encode()
        #expect(RecorderState(decoding: bytes) == state)
        #expect(bytes.starts(with: settled.encode()))
        let manifest = DurableMessage(
            kind: .manifest, station: station, sequence: 1, unixMilliseconds: 0,
            bootMilliseconds: 0, payload: Array(#"{"session_id":"\#(sessions[0])"}"#.utf8))
        state.observe(.message(manifest), isAcknowledged: false)
        #expect(state.ended.map(\.begun.session.text) == [sessions[1]])
    }

    /// An earlier version reads the fields that it knows.
    @Test func codesLaterKinds() throws {
        let station = try #require(erg)
        var state = RecorderState()
        for _ in 0..<3 { _ = state.assign(.stroke, of: station, unixMilliseconds: 1) }
        state.open(SessionID("01HF0000000000000000000000"), of: station, at: 1)
        state.end(SessionID("01HF0000000000000000000000"), of: station, monitorStrokes: 3)
        for _ in 0..<200 { _ = state.assign(.alert, of: station, unixMilliseconds: 1) }
        state.acknowledge(150, .alert, of: station)
        state.stationStates[station]?.skipped[.rollup] = 1024
        state.announce(StreamID(station: station, kind: .rollup))
        let loss = UndeclaredLosses.Loss(
            stream: StreamID(station: station, kind: .alert), reason: .overwritten)
        state.undeclared = [loss: 3...9]
        let firing = Array(
            #"{"kind":"alert","alert_id":"A1","state":"firing","rule":"stopped","since_ms":5,"session_id":"S1"}"#
                .utf8)
        state.stationStates[station]?.firing.apply(firing)
        #expect(state.stationStates[station]?.firing.alerts.map(\.rule) == ["stopped"])
        let crews = [("bow", ["1", "2"]), ("stern", ["erg-1"])].compactMap { name, ergs in
            CrewID(name).flatMap { Crew($0, ergs.compactMap { StationID($0) }) }
        }
        state.crews = crews
        #expect(crews.count == 2)
        let bytes = state.encode()
        #expect(RecorderState(decoding: bytes) == state)
        var earlier = state
        earlier.crews = []
        earlier.stationStates[station]?.firing = StoredAlerts()
        earlier.stationStates[station]?.announced.subtract([.alert, .rollup])
        (earlier.undeclared, earlier.knowsEveryKind) = ([:], false)
        let before = earlier.encode()
        #expect(bytes.starts(with: before))
        #expect(RecorderState(decoding: before)?.knowsEveryKind == false)
        #expect(RecorderState(decoding: before + [0, 0, 0])?.knowsEveryKind == false)
        #expect(RecorderState(decoding: bytes + [0, 0]) == state)
        let resolved = Array(#"{"kind":"alert","alert_id":"A1","state":"resolved"}"#.utf8)
        state.stationStates[station]?.firing.apply(resolved)
        #expect(state.stationStates[station]?.firing.alerts == [])
    }

    /// An end with two strokes before it: found in order, and with the first stroke lost.
    @Test func codesPendingEntries() throws {
        let entries = [message(.stroke, 1), message(.stroke, 2), message(.session, 2)]
        var state = RecorderState()
        let before = state.encode()
        state.pendingEntries = entries.map { $0.encode() }
        let bytes = state.encode()
        #expect(RecorderState(decoding: bytes) == state && bytes.starts(with: before))
        #expect(state.encode(atMost: bytes.count - 1) == before)
        #expect(state.erasing("a-17") == state.withoutPendingEntries)
        var holed = state
        for (index, entry) in entries.enumerated() {
            state.observe(entry, isAcknowledged: false)
            #expect(state.pendingEntries == entries[(index + 1)...].map { $0.encode() })
        }
        holed.observe(entries[1], isAcknowledged: false)
        #expect(holed.pendingEntries == [entries[2].encode()])
    }

    /// The digest of an erased athlete's session must disappear.
    @Test func codesCountsOfSessions() throws {
        let station = try #require(erg)
        let sessions = ["01HF0000000000000000000000", "01HF0000000000000000000001"]
            .map { SessionID($0) }
        var state = RecorderState()
        state.open(sessions[0], of: station, at: 123_456)
        state.end(sessions[0], of: station, monitorStrokes: 46)
        state.open(sessions[1], of: station, at: 234_567)
        let before = state.encode()
        var digest = SHA256Digest()
        digest.update(Array(#"{"athlete_id":"a-17","#.utf8))
        var sum = SessionSum(strokes: 17...62, newest: 1_700_000_000_000, digest: digest.state)
        sum.counts[.stroke] = 46
        state.addCounts([sessions[0]: sum, sessions[1]: SessionSum()])
        let bytes = state.encode()
        #expect(RecorderState(decoding: bytes) == state)
        #expect(bytes.starts(with: before))
        let erased = state.erasing("a-17")
        #expect(erased?.unsettled.map(\.begun.counted) == [nil, SessionSum()])
        #expect(state.erasing("a-18") == nil)
        state.crews = try [#require(CrewID("bow").flatMap { Crew($0, [station]) })]
        #expect(RecorderState(decoding: state.encode()) == state)
        #expect(state.encode().starts(with: bytes))
    }

    /// The process assigned ten numbers, and the ring has four of them.
    @Test(arguments: [(10, nil), (7, 8...10), (0, 5...10)] as [(UInt64, ClosedRange<UInt64>?)])
    func declaresLostNumbersWithoutAcknowledgement(acknowledged: UInt64, declared: ClosedRange<UInt64>?) {
        var found = RecorderState()
        for _ in 0..<4 { _ = found.assign(.stroke, of: erg, unixMilliseconds: 0) }
        var highWater = found
        for _ in 0..<6 { _ = highWater.assign(.stroke, of: erg, unixMilliseconds: 0) }
        highWater.acknowledge(acknowledged, .stroke, of: erg)
        var state = found.recoveringNumbers(after: .killed(highWater: highWater, tornBytes: 0))
        let skipped = state.consumeSkipped(StreamID(station: erg, kind: .stroke))
        #expect(skipped == declared)
        #expect(state.assign(.stroke, of: erg, unixMilliseconds: 0).sequence == 11)
    }

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

    @Test func backlogCountsUnacknowledgedRecords() {
        var state = RecorderState()
        for _ in 0..<5 { _ = state.assign(.stroke, of: erg, unixMilliseconds: 0) }
        for _ in 0..<3 { _ = state.assign(.split, of: erg, unixMilliseconds: 0) }
        #expect(state.backlog == 8)
        state.acknowledge(4, .stroke, of: erg)
        state.acknowledge(2, .stroke, of: erg)
        #expect(state.backlog == 4)
    }
}
