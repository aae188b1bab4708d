import Foundation
import Testing

@testable import Bytes
@testable import Contract
@testable import Insights

/// Checks records with the rules that are generated from the contract.
@Suite struct RecordRulesTests {
    /// Records of every kind with all fields.
    private static let samples: [(kind: StreamKind, records: [String])] = [
        (.session, Sample.workouts.map { Sample.stored(Sample.edge($0)) }),
        (.stroke, [Sample.stroke, Sample.targetStroke].map { Sample.stored($0) }),
        (.force, [Sample.stored(Sample.force)]),
        (.split, [Sample.split, Sample.targetSplit].map { Sample.stored($0) }),
        (
            .summary,
            (Sample.workouts.map(Sample.summary) + [Sample.targetSummary]).map {
                Sample.stored($0)
            }
        ),
        (
            .gap,
            [
                Sample.stored(Sample.gap, clock: Sample.unsynchronizedClock),
                Sample.stored(Sample.uncountedGap), Sample.stored(Sample.splitGap),
            ]
        ),
        (.manifest, [Sample.stored(Sample.manifest)]),
        (.alert, Sample.alerts.map { Sample.stored($0) }),
        (.rollup, [Sample.rollup, Sample.targetRollup].map { Sample.stored($0) }),
        (.roomRollup, Sample.storedMinutes(.roomRollup)),
        (.crewRollup, Sample.storedMinutes(.crewRollup)),
        (.gatewayEvent, Sample.events.map { Sample.stored($0) }),
    ]

    /// The defect of a stored record in its published form; nil if there is none.
    private func fault(_ stored: String, _ kind: StreamKind) throws -> String? {
        let payload = RecordEncoder.published(Array(stored.utf8), historical: false)
        let object = try #require(try JSONObject(parsing: payload))
        do throws(RecordDefect) {
            try RecordRules.of(kind).check(object)
            return nil
        } catch { return error.reason }
    }

    @Test func allowsAllPublishedRecords() throws {
        #expect(Set(Self.samples.map(\.kind)) == Set(StreamKind.allCases))
        for (kind, records) in Self.samples {
            #expect(!records.isEmpty)
            for record in records { #expect(try fault(record, kind) == nil, "\(record)") }
        }
    }

    @Test func allowsUnknownFieldsAndEnumerationValues() throws {
        let stroke = Sample.stored(Sample.stroke)
        let more = stroke.dropLast() + #","oxygen_pct":97,"left":{"a":[null]},"note":null}"#
        #expect(try fault(String(more), .stroke) == nil)
        let alert = try #require(Sample.alerts.first.map { Sample.stored($0) })
        let rule = alert.replacing(try Regex(#""rule":"[a-z_]+""#), with: #""rule":"blade_lost_2""#)
        #expect(rule != alert)
        #expect(try fault(rule, .alert) == nil)
    }

    @Test func refusesMissingRequiredFields() throws {
        for (kind, records) in Self.samples {
            let record = try #require(records.first)
            for field in RecordRules.of(kind).fields where field.isRequired {
                if field.name == "historical" { continue }
                let other = record.replacingOccurrences(
                    of: "\"\(field.name)\":", with: "\"other\":")
                #expect(
                    try fault(other, kind) == "it has no \(field.name)", "\(kind) \(field.name)")
            }
        }
    }

    @Test(arguments: [
        (#""ts_ms":"#, #""ts_ms":-1,"x":"#, "its ts_ms is not what the contract allows: a whole"),
        (#""elapsed_s":"#, #""elapsed_s":-1,"x":"#, "its elapsed_s is not"),
        (#""elapsed_s":"#, #""elapsed_s":-0.01,"x":"#, "its elapsed_s is not"),
        (#""elapsed_s":"#, #""elapsed_s":1e300,"x":"#, "its elapsed_s is not"),
        (#""elapsed_s":"#, #""elapsed_s":"1","x":"#, "its elapsed_s is not"),
        (#""elapsed_s":"#, #""elapsed_s":null,"x":"#, "its elapsed_s is not"),
        (#""stroke":"#, #""stroke":0,"x":"#, "its stroke is not"),
        (#""stroke":"#, #""stroke":1.5,"x":"#, "its stroke is not"),
        (#""power_w":"#, #""power_w":65536,"x":"#, "its power_w is not"),
        (#""heart_rate_bpm":"#, #""heart_rate_bpm":0,"x":"#, "its heart_rate_bpm is not"),
        (#""heart_rate_bpm":"#, #""heart_rate_bpm":255,"x":"#, "its heart_rate_bpm is not"),
        (#""time":"#, #""time":"yesterday","x":"#, "its time is not"),
        (#""clock":"#, #""clock":"Synced!","x":"#, "its clock is not"),
        (#""epoch":"#, #""epoch":"01J0EPOCH000000000000000AA","x":"#, "its epoch is not"),
        (#""session_id":"#, #""session_id":"81J7ZK3Q5XQ4W8G9T2V6B0C1DE","x":"#, "its session_id"),
        (#""athlete_id":"#, #""athlete_id":"a b","x":"#, "its athlete_id is not"),
        (#""stroke":"#, #""stroke":1,"stroke":"#, "it has stroke twice"),
    ])
    func refusesWrongValues(_ text: String, _ other: String, _ words: String) throws {
        let stroke = Sample.stored(Sample.stroke)
        let spoiled = stroke.replacingOccurrences(of: text, with: other)
        #expect(spoiled != stroke)
        let found = try fault(spoiled, .stroke) ?? "allowed"
        #expect(found.hasPrefix(words), "\(found)")
    }

    @Test func checksElementsOfListsAndObjects() throws {
        let force = Sample.stored(Sample.force)
        for element in [#""x""#, "-1", "null", "[1]"] {
            let other = force.replacingOccurrences(
                of: #""force_n":["#, with: #""force_n":[\#(element),"#)
            #expect(try fault(other, .force)?.hasPrefix("its force_n is not") == true, "\(element)")
        }
        let crew = try #require(Sample.storedMinutes(.crewRollup).first)
        let name = "\"erg_rate_similarity_ratio\":{"
        for member in [#""Erg!":0.5"#, #""seat-3":1.5"#, #""seat-3":"x""#] {
            let other = crew.replacing(
                try Regex(#""erg_rate_similarity_ratio":\{[^}]*"#), with: name + member)
            #expect(other != crew)
            #expect(try fault(other, .crewRollup) != nil, "\(member)")
        }
    }

    @Test func textFormsMatchTheContract() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let contract = try String(
            contentsOf: root.appending(path: "config/schema/contract.toml"), encoding: .utf8)
        let samples = [
            "", "a", "erg-1", "A", "a b", "Anna_17", "a.b", "a/b", "a,b", ".", "..", "\u{E4}",
            "01J7ZK3Q5XQ4W8G9T2V6B0C1DE", "81J7ZK3Q5XQ4W8G9T2V6B0C1DE",
            "01J7ZK3Q5XQ4W8G9T2V6B0C1DI", "01J7ZK3Q5XQ4W8G9T2V6B0C1DU", "430123456", "43012345",
            "2026-09-05T17:04:59.120Z", "2026-09-05T17:04:59.12Z", "2026-09-05T19:04",
            "2026-09-05 19:04", String(repeating: "a", count: 32),
            String(repeating: "0", count: 32), String(repeating: "f", count: 64),
            String(repeating: "F", count: 64), String(repeating: "g", count: 64),
            String(repeating: "a", count: 65), "hci0", "hci", "hci1a", "stroke", "erg/3/stroke",
            "erg/3/", "room/rollup", "crew/rollup", "other/rollup", "erg/A/stroke", "a/b/c/d",
        ]
        let forms: [(String, RecordTextForm)] = [
            ("slug", .slug), ("name", .name), ("athlete", .athlete), ("ulid", .ulid),
            ("serial", .serial), ("boot_id", .bootID), ("time", .time), ("minute", .minute),
            ("sha256", .sha256), ("adapter", .adapter), ("stream", .stream),
        ]
        for (name, form) in forms {
            let line = try #require(
                contract.split(separator: "\n").first { $0.hasPrefix("\(name) = { pattern = ") })
            let quoted = try #require(line.split(separator: "\"", maxSplits: 1).last)
            let pattern = try #require(quoted.components(separatedBy: "\", text").first)
                .replacingOccurrences(of: #"\\"#, with: #"\"#)
            let expression = try NSRegularExpression(pattern: pattern)
            for sample in samples {
                let range = NSRange(sample.startIndex..., in: sample)
                let matches = expression.firstMatch(in: sample, range: range) != nil
                #expect(form.matches(sample) == matches, "\(name): \(sample)")
            }
        }
    }
}
