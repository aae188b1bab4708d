import Contract
import HostRuntime
import LogbookStores
import TestSupport
import Testing

@testable import CommandLineText
@testable import LogbookInspection

/// What people and programs read is kept in files; `ROWGATE_UPDATE_GOLDEN=1 swift test` writes them
/// anew, for a person to look at in the diff.
@Suite struct GoldenTests {
    private var traffic = Traffic()
    private let folder: TemporaryFolder
    private let store: SQLiteStore

    init() throws {
        folder = try TemporaryFolder()
        store = try SQLiteStore(folder.path("logbook.db"), for: .keeping)
    }

    private func commit(_ messages: [Traffic.Message], _ change: (inout StoreBatch) -> Void) throws
    {
        var batch = StoreBatch(now: 1_788_627_100_000)
        batch.records = try messages.map { message in
            let (gateway, _) = try #require(TopicMap.read(message.topic))
            return try KeptRecord(message.payload, of: #require(message.stream), from: gateway)
        }
        change(&batch)
        _ = try store.commit(batch)
    }

    @Test mutating func complete() throws {
        // Goal: good news is short. Method: two sessions, one of them again, and one that goes on.
        let session = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 12)
        let next = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DF", strokes: 3, missesItsEnd: true)
        let third = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DG", strokes: 2)
        let gateway = traffic.gateway
        try commit(session + next + third.prefix(3) + session.map(\.replayed)) { batch in
            for session in ["01J7ZK3Q5XQ4W8G9T2V6B0C1DE", "01J7ZK3Q5XQ4W8G9T2V6B0C1DF"] {
                batch.states[SessionName(gateway: gateway, session: session)] = .verified
            }
        }
        try expect("complete")
    }

    @Test mutating func incomplete() throws {
        // Goal: every kind of fault is named with its numbers. Method: one of each.
        let first = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 12)
        let strokes = Traffic.stream(.stroke)
        let here = first.filter { $0.stream != strokes || ![5, 8, 9, 11].contains($0.sequence) }
        let second = traffic.session(
            "01J7ZK3Q5XQ4W8G9T2V6B0C1DF", strokes: 3,
            alteredDigest: String(repeating: "0", count: 64))
        var altered = first[1].replayed
        altered.payload = Array(
            String(decoding: altered.payload, as: UTF8.self)
                .replacing(#""stroke":1,"#, with: #""stroke":2,"#).utf8)
        let dropped = [
            traffic.dropped(strokes, 8...8, reason: "overwritten"),
            traffic.dropped(Traffic.stream(.force), 16...18, reason: "not_durable"),
        ]
        let gateway = traffic.gateway
        let epoch = traffic.epoch
        func stream(_ kind: StreamKind) -> StoredStream {
            StoredStream(gateway: gateway, epoch: epoch, stream: Traffic.stream(kind))
        }
        try commit(here + second + dropped + [altered]) { batch in
            var note = StreamNote()
            note.gone = [9...9]
            batch.notes[stream(.stroke)] = note
            note = StreamNote()
            note.announced = 18
            batch.notes[stream(.force)] = note
            batch.states[SessionName(gateway: gateway, session: "01J7ZK3Q5XQ4W8G9T2V6B0C1DE")] =
                .gone
            batch.states[SessionName(gateway: gateway, session: "01J7ZK3Q5XQ4W8G9T2V6B0C1DF")] =
                .differs
        }
        try expect("incomplete")
    }

    @Test func nothing() throws {
        // Goal: an empty store is not taken for a complete one. Method: one that was just made.
        try expect("empty")
    }

    private func expect(_ name: String) throws {
        var check = try LogbookCheck(store, digest: SHA256Digest.hexadecimal(of:))
        check.place = "/var/lib/rowgate-logbook/logbook.db"
        check.size.bytes = 128 << 10
        let sessions = SessionTable(try store.sessions(SessionFilter(limit: 9)))
        for (file, text) in [
            ("\(name).txt", check.lines.rendered(inColour: false)),
            ("\(name).json", check.json + "\n"),
            ("\(name)-sessions.txt", sessions.lines.rendered(inColour: false)),
            ("\(name)-sessions.json", sessions.json + "\n"),
        ] {
            let golden = try goldenText(file, for: text)
            #expect(text == golden, "\(file): \(text)")
        }
    }
}
