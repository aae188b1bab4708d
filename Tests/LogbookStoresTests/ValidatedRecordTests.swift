import Foundation
import TestSupport
import Testing

@testable import Contract
@testable import LogbookStores

/// Messages that violate the contract are refused with a reason.
@Suite struct ValidatedRecordTests {
    private var traffic = Traffic()
    private static let session = "01J7ZK3Q5XQ4W8G9T2V6B0C1DE"

    private mutating func message(_ kind: StreamKind) throws -> Traffic.Message {
        try #require(
            traffic.session(Self.session, strokes: 2, missesItsEnd: true)
                .first { $0.stream?.kind == kind })
    }

    private func reason(_ message: Traffic.Message) -> String? {
        do {
            _ = try ValidatedRecord(message)
            return nil
        } catch { return (error as? RecordDefect)?.reason ?? "\(error)" }
    }

    @Test mutating func parsesEveryKind() throws {
        for message in traffic.session(Self.session, strokes: 2, missesItsEnd: true) {
            #expect(reason(message) == nil)
            #expect(try ValidatedRecord(message).session?.session == Self.session)
        }
        #expect(reason(traffic.event()) == nil)
        #expect(try ValidatedRecord(traffic.event()).session == nil)
    }

    @Test(arguments: [
        (#""stroke":1,"#, #""stroke":"1","#, "its stroke is not what the contract allows"),
        (#""stroke":1,"#, #""stroke":-1,"#, "its stroke is not what the contract allows"),
        (#""stroke":1,"#, #""stroke":1e400,"#, "its stroke is not what the contract allows"),
        (#""stroke":1,"#, #""stroke":9007199254740992,"#, "its stroke is not what the contract"),
        (#""stroke":1,"#, "", "it has no stroke"),
        (#""elapsed_s":1.00"#, #""elapsed_s":1e300"#, "its elapsed_s is not"),
        (#""elapsed_s":1.00"#, #""elapsed_s":null"#, "its elapsed_s is not"),
        (#""elapsed_s":1.00"#, #""elapsed_s":[1]"#, "its elapsed_s is not"),
        (session, "<script>alert(1)</script>!", "its session_id is not what"),
        (
            #""elapsed_s":1.00"#, #""athlete_id":"'; DROP TABLE record; --""#,
            "its athlete_id is not"
        ),
        (#""v":1"#, #""v":2"#, "it has another version of the contract"),
        (#""gw":"boathouse""#, #""gw":"<b>""#, "its gw is not a valid gateway id"),
        (#""epoch":"01J0"#, #""epoch":"../0"#, "its epoch is not a ULID"),
        (#""seq":1"#, #""seq":0"#, "it has no epoch or no seq"),
        (#""seq":1"#, #""seq":1.5"#, "it has no epoch or no seq"),
        (#""kind":"stroke""#, #""kind":"force""#, "its kind or erg differs from the topic"),
        (#""ts_ms":"#, #""ts_ms":"x","at":"#, "its ts_ms is not what the contract allows"),
        (#""ts_ms":"#, #""ts_ms":-1,"at":"#, "its ts_ms is not what the contract allows"),
        (#""elapsed_s":1.00"#, #""elapsed_s":-1"#, "its elapsed_s is not what the contract"),
        (#""elapsed_s":1.00,"#, "", "it has no elapsed_s"),
        (#""epoch":"01J0"#, #""epoch":"81J0"#, "its epoch is not a ULID"),
        (#""epoch":"01J0"#, #""epoch":"OIJU"#, "its epoch is not a ULID"),
    ])
    mutating func refusesInvalidStrokes(_ text: String, _ other: String, _ words: String) throws {
        let message = try message(.stroke)
        let spoiled = message.replacing(text, by: other)
        #expect(spoiled.payload != message.payload)
        let found = reason(spoiled) ?? "accepted"
        #expect(found.hasPrefix(words), "\(found)")
    }

    @Test mutating func assignsRecordsWithAnOldNameToTheTopicsGateway() throws {
        let message = try message(.stroke).replacing(#""gw":"boathouse""#, by: #""gw":"annex""#)
        #expect(try ValidatedRecord(message).stream.gateway.slug == "boathouse")
    }

    @Test mutating func acceptsOnlyValidAthleteIDs() throws {
        let message = try message(.stroke)
        for id in AthleteIDs.valid {
            let named = message.replacing(
                #""elapsed_s":1.00"#, by: #""athlete_id":"\#(id)","elapsed_s":1.00"#)
            #expect(reason(named) == nil, "\(id)")
        }
        for id in AthleteIDs.invalid where !id.contains("\"") && !id.contains("\\") {
            let named = message.replacing(
                #""elapsed_s":1.00"#, by: #""athlete_id":"\#(id)","elapsed_s":1.00"#)
            #expect(reason(named) != nil, "\(id)")
        }
    }

    @Test mutating func reportsTheNumberOfARefusedRecord() throws {
        func number(_ message: Traffic.Message) -> RecordNumber? {
            do throws(RecordDefect) {
                _ = try ValidatedRecord(message.payload, of: message.stream!, from: traffic.gateway)
                return nil
            } catch { return error.number }
        }
        let message = try message(.stroke)
        #expect(
            number(message.replacing(#""elapsed_s":1.00,"#, by: ""))
                == RecordNumber(epoch: traffic.epoch, sequence: message.sequence))
        #expect(number(message.replacing(#""epoch":"01J0"#, by: #""epoch":"81J0"#)) == nil)
        #expect(number(message.replacing(#""seq":1"#, by: #""seq":0"#)) == nil)
    }

    @Test mutating func refusesImpossibleManifestsAndCurves() throws {
        let manifest = try message(.manifest)
        #expect(
            reason(manifest.replacing(#""stroke_count":2"#, by: #""stroke_count":7"#))
                == "its counts of records contradict each other")
        let force = try message(.force)
        #expect(reason(force.replacing(#""force_n":["#, by: #""force_n":["x","#)) != nil)
        #expect(reason(force.replacing(#""force_n":["#, by: #""force_n":[1e9,"#)) == nil)
        #expect(reason(force.replacing(#""force_n":["#, by: #""force_n":[-1,"#)) != nil)
        var long = force
        long.payload = force.payload.dropLast(20) + [UInt8](repeating: 32, count: 20_000)
        #expect(reason(long) == "it has more than 17408 bytes")
        #expect(reason(.init(topic: force.topic, payload: [], stream: force.stream)) != nil)
    }

    @Test func hasAColumnForEveryFieldOfTheContract() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(
            contentsOf: root.appendingPathComponent(
                "Sources/Core/Contract/Documentation.docc/Topics.md"), encoding: .utf8)
        for kind in StreamKind.allCases {
            let start = try #require(page.range(of: "\n### \(kind.topicName)\n"))
            let rows = page[start.upperBound...].split(separator: "\n")
                .prefix { !$0.hasPrefix("##") && !$0.hasPrefix("<!--") }
            let fields = rows.compactMap {
                $0.firstMatch(of: /^\| `(\w+)` \|/).map { String($0.1) }
            }
            #expect(fields.count > 3)
            #expect(fields.sorted() == ReadingTable.of(kind).columns.map(\.name).sorted())
        }
    }
}
