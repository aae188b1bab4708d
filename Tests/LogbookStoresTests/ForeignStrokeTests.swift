import DeliveryProof
import TestSupport
import Testing

@testable import Contract
@testable import LogbookStores

/// Strokes that name a session but are not in its manifest.
@Suite struct ForeignStrokeTests {
    private static let session = "01J7ZK3Q5XQ4W8G9T2V6B0C1DE"
    private var traffic = Traffic()

    private func stroke(_ sequence: UInt64, erg: String = "erg-1") throws -> ValidatedRecord {
        let stream = StreamID(station: StationID(erg), kind: .stroke)
        let text =
            #"{"v":1,"kind":"stroke","gw":"boathouse","erg":"\#(erg)","epoch":"\#(traffic.epoch)","#
            + #""seq":\#(sequence),"ts_ms":1788627000015,"time":"2026-09-05T17:04:59.120Z","#
            + #""clock":"synced","session_id":"\#(Self.session)","stroke":\#(sequence),"#
            + #""elapsed_s":1.50,"distance_m":15.0,"historical":false}"#
        return try ValidatedRecord(Array(text.utf8), of: stream, from: traffic.gateway)
    }

    private func expect(
        _ store: some LogbookStore, strokes: Int, foreign: Int, _ words: String
    ) throws {
        let name = SessionName(gateway: traffic.gateway, session: Self.session)
        let session = try #require(try store.sessions(SessionFilter(limit: 1)).first)
        #expect(
            (session.strokes, session.foreignStrokes) == (strokes, foreign), "\(words)")
        #expect(session.station.slug == "erg-1", "\(words)")
        #expect(try store.records(of: .stroke, in: name).count == strokes, "\(words)")
        let evidence = try #require(try store.evidence(of: name))
        let proof = evidence.claim.proof(
            strokes: evidence.strokes, received: evidence.counts)
        #expect(proof == .proven, "\(words)")
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func omitsForeignStrokesInAnyOrder(_ kind: StoreUnderTest) async throws {
        let session = try traffic.session(Self.session, strokes: 8).map { try ValidatedRecord($0) }
        let foreign = [try stroke(99_999), try stroke(3, erg: "erg-2")]
        for (words, records) in [
            ("behind", session + foreign), ("before", foreign + session),
            ("in the middle", Array(session[..<6]) + foreign + session[6...]),
        ] {
            let store = try await kind.place().open(.recording)
            defer { store.close() }
            for record in records {
                _ = try store.commit(StoreBatch(records: [record], now: 1_788_627_100_000))
            }
            try expect(store, strokes: 8, foreign: 2, words)
            var batch = StoreBatch(now: 1_788_627_100_000)
            batch.states[SessionName(gateway: traffic.gateway, session: Self.session)] = .verified
            _ = try store.commit(batch)
            try expect(store, strokes: 8, foreign: 2, words)
            #expect(try store.size().records == records.count)
        }
    }

    @Test(arguments: StoreUnderTest.allCases)
    mutating func includesAllStrokesWithoutAManifest(_ kind: StoreUnderTest) async throws {
        let session = try traffic.session(Self.session, strokes: 4).map { try ValidatedRecord($0) }
        let store = try await kind.place().open(.recording)
        defer { store.close() }
        let open = session.filter { $0.stream.stream.kind != .manifest } + [try stroke(99_999)]
        _ = try store.commit(StoreBatch(records: open, now: 1_788_627_100_000))
        let found = try #require(try store.sessions(SessionFilter(limit: 1)).first)
        #expect((found.strokes, found.foreignStrokes) == (5, 0))
    }
}
