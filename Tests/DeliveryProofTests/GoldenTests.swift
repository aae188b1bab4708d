import Bytes
import Foundation
import TestSupport
import Testing

@testable import CommandLineText
@testable import Contract
@testable import DeliveryProof

/// Compares text and JSON output with golden files. `ROWGATE_UPDATE_GOLDEN=1 swift test` rewrites the
/// files; review the diff.
@Suite struct GoldenTests {
    private var traffic = Traffic()
    private var ledger = DeliveryLedger()

    private mutating func apply(_ messages: [Traffic.Message]) {
        for message in messages { ledger.apply(topic: message.topic, payload: message.payload) }
    }

    @Test mutating func complete() throws {
        let session = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 12)
        apply(session + [traffic.event(), traffic.marks()] + session[4...6].map(\.replayed))
        let verdict = ledger.verdict()
        #expect(verdict.isComplete)
        try expect(verdict.lines.rendered(inColour: false), equals: "complete.txt")
        try expect(verdict.json + "\n", equals: "complete.json")
    }

    @Test(arguments: [false, true])
    mutating func incomplete(inColour: Bool) throws {
        // The input has one fault of each kind.
        let strokes = Traffic.stream(.stroke)
        let first = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 12)
        apply(first.filter { $0.stream != strokes || ![5, 8, 9].contains($0.sequence) })
        traffic.skip(6, of: Traffic.stream(.force))
        apply(
            traffic.session(
                "01J7ZK3Q5XQ4W8G9T2V6B0C1DF", strokes: 3,
                alteredDigest: String(repeating: "0", count: 64)))
        var altered = first[1].replayed
        altered.payload = Array(
            String(decoding: altered.payload, as: UTF8.self)
                .replacing(#""stroke":1"#, with: #""stroke":2"#).utf8)
        apply([
            altered, traffic.dropped(strokes, 8...8, reason: "overwritten"),
            traffic.dropped(Traffic.stream(.force), 13...18, reason: "not_durable"),
            traffic.marks([.stroke: 17]),
            .init(topic: "rowgate/v1/boathouse/erg/erg-1/gap", payload: Array("{}".utf8)),
        ])
        var other = Traffic(gateway: "annex")
        let second = try #require(StationID("erg-2"))
        apply(
            other.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DG", strokes: 1, of: second)
                .filter { $0.stream?.kind != .force })
        let verdict = ledger.verdict()
        #expect(!verdict.isComplete)
        try expect(
            verdict.lines.rendered(inColour: inColour),
            equals: inColour ? "incomplete-colour.txt" : "incomplete.txt")
        try expect(verdict.json + "\n", equals: "incomplete.json")
    }

    @Test mutating func marksAloneAreNotComplete() throws {
        apply([traffic.marks([.stroke: 4])])
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
