import Bytes
import Foundation
import HostRuntime
import TestSupport
import Testing

@testable import CommandLineText
@testable import Contract
@testable import DeliveryProof

/// What people and programs read is kept in files; `ROWGATE_UPDATE_GOLDEN=1 swift test` writes them
/// anew, for a person to look at in the diff.
@Suite struct GoldenTests {
    private var traffic = Traffic()
    private var ledger = DeliveryLedger(digest: SHA256Digest.hexadecimal(of:))

    private mutating func take(_ messages: [Traffic.Message]) {
        for message in messages { ledger.take(topic: message.topic, payload: message.payload) }
    }

    @Test mutating func complete() throws {
        // Goal: good news is short. Method: a session, part of it twice, and an event.
        let session = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 12)
        take(session + [traffic.event(), traffic.marks()] + session[4...6].map(\.replayed))
        let verdict = ledger.verdict()
        #expect(verdict.isComplete)
        try expect(verdict.lines.rendered(inColour: false), equals: "complete.txt")
        try expect(verdict.json + "\n", equals: "complete.json")
    }

    @Test(arguments: [false, true])
    mutating func incomplete(inColour: Bool) throws {
        // Goal: every kind of fault is named with its numbers and lines up. Method: one of each.
        let strokes = Traffic.stream(.stroke)
        let first = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 12)
        take(first.filter { $0.stream != strokes || ![5, 8, 9].contains($0.sequence) })
        traffic.skip(6, of: Traffic.stream(.force))
        take(
            traffic.session(
                "01J7ZK3Q5XQ4W8G9T2V6B0C1DF", strokes: 3,
                alteredDigest: String(repeating: "0", count: 64)))
        var altered = first[1].replayed
        altered.payload = Array(
            String(decoding: altered.payload, as: UTF8.self)
                .replacing(#""stroke":1"#, with: #""stroke":2"#).utf8)
        take([
            altered, traffic.dropped(strokes, 8...8, reason: "overwritten"),
            traffic.dropped(Traffic.stream(.force), 13...18, reason: "not_durable"),
            traffic.marks([.stroke: 17]),
            .init(topic: "rowgate/v1/boathouse/erg/erg-1/gap", payload: Array("{}".utf8)),
        ])
        var other = Traffic(gateway: "annex")
        let second = try #require(StationID("erg-2"))
        take(
            other.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DG", strokes: 1, of: second)
                .filter { $0.stream?.kind != .force })
        let verdict = ledger.verdict()
        #expect(!verdict.isComplete)
        try expect(
            verdict.lines.rendered(inColour: inColour),
            equals: inColour ? "incomplete-colour.txt" : "incomplete.txt")
        try expect(verdict.json + "\n", equals: "incomplete.json")
    }

    @Test mutating func nothing() throws {
        // Goal: a proof of nothing is not taken for one. Method: marks alone.
        take([traffic.marks([.stroke: 4])])
        try expect(ledger.verdict().lines.rendered(inColour: false), equals: "nothing.txt")
        #expect(!ledger.verdict().isComplete)
    }

    private func expect(
        _ text: String, equals name: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let golden = try goldenText(name, for: text)
        #expect(text == golden, "\(text)", sourceLocation: sourceLocation)
    }
}
