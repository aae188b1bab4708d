import Foundation
import Testing

@testable import Bytes
@testable import Contract
@testable import Insights
@testable import Rowing

/// Compares Topics.md with the published messages.
@Suite struct TopicsPageTests {
    /// A table of fields: decimal places by name; nil if the field is not a number.
    private typealias Fields = [String: Int?]

    private static let samples: [String: [String]] = {
        var json = JSONWriter()
        let states =
            [
                StationReport(
                    station: StationState(activity: .idle), monitorConnection: .parked(.noSlot("x")))
            ]
            + Sample.workouts.map { workout in
                StationReport(
                    station: StationState(
                        activity: .rowing, session: Sample.session, workout: workout),
                    athlete: "a-17", athleteName: "Bow")
            }
            + [
                StationReport(
                    station: StationState(
                        activity: .resting, session: Sample.session,
                        workout: Sample.equalIntervals, interval: Sample.rested))
            ]
        let numbers = StreamKind.ofStation.map { ($0, UInt64(9)) }
        return [
            "session": Sample.workouts.map { Sample.stored(Sample.edge($0)) },
            "stroke": [Sample.stroke, Sample.targetStroke].map { Sample.stored($0) },
            "force": [Sample.stored(Sample.force)],
            "split": [Sample.split, Sample.targetSplit].map { Sample.stored($0) },
            "summary":
                (Sample.workouts.map(Sample.summary) + [
                    Sample.targetSummary, Sample.partialSummary,
                ]).map { Sample.stored($0) },
            "gap": [
                Sample.stored(Sample.gap, clock: Sample.unsynchronizedClock),
                Sample.stored(Sample.uncountedGap),
                Sample.stored(Sample.splitGap),
            ],
            "manifest": [Sample.stored(Sample.manifest)],
            "alert": Sample.alerts.map { Sample.stored($0) },
            "rollup": [Sample.rollup, Sample.targetRollup].map { Sample.stored($0) },
            "alerts": [[], Sample.alerts].map {
                Sample.retained(FiringAlerts($0, clock: Sample.clock), of: Sample.erg)
            },
            "room_rollup": Sample.storedMinutes(.roomRollup),
            "crew_rollup": Sample.storedMinutes(.crewRollup),
            "room_live": [Sample.together(nil)],
            "crew_live": [Sample.together(Sample.pair)],
            "event": Sample.events.map { Sample.stored($0) },
            "live": ([Sample.live, Sample.staleLive, Sample.targetLive] + Sample.intervalLives).map {
                Sample.livePayload($0, into: &json)
            },
            "birth": [Sample.retained(Sample.birth, of: nil)],
            "health": [Sample.retained(Sample.health, of: nil)],
            "clock": [Sample.retained(ClockReport(), of: nil)],
            "relays": [Sample.retained(Sample.relays, of: nil)],
            "workouts": [Sample.retained(WorkoutList(Sample.namedWorkouts), of: nil)],
            "roster": [
                Sample.retained(RosterReport(source: .none, publishesNames: false), of: nil),
                Sample.retained(
                    RosterReport(
                        source: .logbook, athletes: 24, publishesNames: true, revision: "5f2a",
                        logbook: LogbookID("club")), of: nil),
            ],
            "info": [Sample.retained(Sample.monitor, of: Sample.erg)],
            "state": states.map { Sample.retained($0, of: Sample.erg) },
            "rsp": Sample.replies.map { reply in
                String(
                    decoding: reply.payload(
                        gateway: Sample.gateway, at: Sample.now, clock: Sample.clock),
                    as: UTF8.self)
            },
            "marks": [
                Sample.retained(
                    StreamPositions(
                        epoch: Sample.epoch, last: .init(uniqueKeysWithValues: numbers)),
                    of: Sample.erg)
            ],
        ]
    }()

    private static func page() throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(
            contentsOf: root.appendingPathComponent(
                "Sources/Core/Contract/Documentation.docc/Topics.md"), encoding: .utf8)
    }

    /// The table of fields of each `###` section.
    private static func tables() throws -> [String: Fields] {
        var tables: [String: Fields] = [:]
        var section = ""
        for line in try page().split(separator: "\n") {
            if line.hasPrefix("#") { section = line.drop { $0 == "#" || $0 == " " }.description }
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 5, cells[1].hasPrefix("`"), !cells[1].contains("/"),
                cells[2].isEmpty || Int(cells[2]) != nil
            else { continue }
            let name = cells[1].trimmingCharacters(in: ["`"])
            tables[section, default: [:]].updateValue(Int(cells[2]), forKey: name)
        }
        return tables
    }

    /// The top-level keys of a message.
    private static func keys(_ text: String) throws -> Set<String> {
        let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        return Set(try #require(object).keys)
    }

    /// Decimal places of a field's number, or of the first in its array or object; nil for others.
    private static func places(of key: String, in text: String) -> Int? {
        let pattern = #""\#(key)":[\[{]?(?:"[^"]*":)?-?[0-9]+(\.[0-9]+)?[,}\]]"#
        guard let expression = try? NSRegularExpression(pattern: pattern),
            let match = expression.firstMatch(
                in: text, range: NSRange(text.startIndex..., in: text))
        else { return nil }
        return max(0, match.range(at: 1).length - 1)
    }

    @Test(arguments: samples.keys.sorted())
    func fieldsMatchThePage(kind: String) throws {
        let tables = try Self.tables()
        let head = try #require(tables["The head of a durable message"])
        let table = try #require(tables[kind], "the page has no section \(kind)")
        var seen: Set<String> = []
        for text in try #require(Self.samples[kind]) {
            for key in try Self.keys(text) {
                seen.insert(key)
                let documented = table[key] ?? head[key]
                let places = try #require(documented, "\(kind).\(key) is not on the page")
                #expect(Self.places(of: key, in: text) == places, "\(kind).\(key)")
            }
        }
        let missing = table.keys.filter { !seen.contains($0) }
        #expect(missing == [], "on the page, never published")
    }

    @Test func codesMatchThePage() throws {
        let listed = try Self.page().split(separator: "\n").compactMap { line -> [String]? in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 3, cells[0].hasPrefix("`"),
                ["ok", "accepted", "error"].contains(cells[1])
            else { return nil }
            return [cells[0].trimmingCharacters(in: ["`"]), cells[1]]
        }
        #expect(listed == CommandCode.allCases.map { [$0.rawValue, $0.status] })
    }

    @Test func everySectionAndHeadFieldIsPublished() throws {
        let tables = try Self.tables()
        let headName = "The head of a durable message"
        let published = tables.keys.filter { !$0.hasPrefix("cmd/") }
        #expect(Set(published) == Set(Self.samples.keys).union([headName]))
        let gap = try #require(Self.samples["gap"]?.first)
        let message = RecordEncoder.published(Array(gap.utf8), historical: false)
        let keys = try Self.keys(String(decoding: message, as: UTF8.self))
        let head = try #require(tables[headName]).keys
        #expect(head.filter { !keys.contains($0) } == [])
    }

    @Test func topicsMatchThePage() throws {
        let map = TopicMap(gateway: GatewayID("gw")!, below: .standard)
        let erg = StationID("erg-slug")!
        var topics = [nil, erg].flatMap { station in
            StreamKind.all(of: station).map {
                map.topic(of: StreamID(station: station, kind: $0))
            }
        }
        let retained: [RetainedTopic] = [
            .availability, .birth, .health, .clock, .workouts, .roster, .relays,
            .stationAvailability(erg), .info(erg), .state(erg), .lastSummary(erg), .marks(erg),
            .alerts(erg), .alerts(nil),
        ]
        topics += retained.map(map.topic(of:)) + [map.live(erg)]
        topics += [GatewayTopic.roomLive, .crewLive(CrewID("crew-slug")!)].map(map.topic(of:))
        topics += [
            map.response(from: nil, verb: "{verb}"), map.response(from: erg, verb: "{verb}"),
        ]
        topics += map.subscriptions.filter { $0.contains("/cmd/") }.map {
            $0.replacingOccurrences(of: "cmd/+", with: "cmd/{verb}")
                .replacingOccurrences(of: "erg/+", with: "erg/erg-slug")
        }
        let expected = Set(
            topics.map {
                $0.replacingOccurrences(of: "v1/gw/", with: "v1/{gw}/")
                    .replacingOccurrences(of: "erg-slug", with: "{erg}")
                    .replacingOccurrences(of: "crew-slug", with: "{crew}")
            })
        let listed = try Self.page().split(separator: "\n")
            .filter { $0.hasPrefix("| `rowgate/") }
            .map { $0.split(separator: "`")[1].description }
        #expect(listed.count == Set(listed).count)
        #expect(Set(listed) == expected)
    }
}
