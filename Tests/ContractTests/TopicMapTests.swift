import Testing

@testable import Contract

@Suite struct TopicMapTests {
    private let topics = TopicMap(gateway: GatewayID("boathouse")!, below: .standard)
    private let erg = StationID("seat-3")!

    @Test func everyTopicMatchesOneFilter() {
        // Compares each published topic with each filter, level by level.
        func matching(_ topic: String, _ filters: [String]) -> Int {
            let levels = topic.split(separator: "/")
            return filters.count { filter in
                let wanted = filter.split(separator: "/")
                return wanted.count == levels.count
                    && zip(wanted, levels).allSatisfy { $0 == "+" || $0 == $1 }
            }
        }
        for station in [nil, erg] {
            for kind in StreamKind.all(of: station) {
                let topic = topics.topic(of: StreamID(station: station, kind: kind))
                #expect(matching(topic, TopicPrefix.standard.durableFilters) == 1, "\(topic)")
                #expect(
                    matching(topic, TopicPrefix.standard.replyFilters + TopicPrefix.standard.otherFilters)
                        == 0, "\(topic)")
            }
        }
        for topic in [nil, erg].flatMap({ station in
            ["replay", "workout"].map { topics.response(from: station, verb: $0) }
        }) {
            #expect(matching(topic, TopicPrefix.standard.replyFilters) == 1, "\(topic)")
            #expect(
                matching(topic, TopicPrefix.standard.durableFilters + TopicPrefix.standard.otherFilters) == 0,
                "\(topic)")
        }
        let others =
            (RetainedTopic.all(of: nil) + RetainedTopic.all(of: erg)).map(topics.topic(of:))
            + [topics.live(erg), topics.topic(of: .roomLive)]
            + [topics.topic(of: .crewLive(CrewID("bow")!))]
        for topic in others {
            #expect(
                matching(topic, TopicPrefix.standard.durableFilters + TopicPrefix.standard.replyFilters) == 0,
                "\(topic)")
            #expect(matching(topic, TopicPrefix.standard.otherFilters) == 1, "\(topic)")
        }
    }

    @Test func outgoing() {
        let streams = [nil, erg].flatMap { station in
            StreamKind.all(of: station).map {
                topics.topic(of: StreamID(station: station, kind: $0))
            }
        }
        #expect(
            streams == [
                "rowgate/v1/boathouse/event",
                "rowgate/v1/boathouse/alert",
                "rowgate/v1/boathouse/room/rollup",
                "rowgate/v1/boathouse/crew/rollup",
                "rowgate/v1/boathouse/erg/seat-3/session",
                "rowgate/v1/boathouse/erg/seat-3/stroke",
                "rowgate/v1/boathouse/erg/seat-3/force",
                "rowgate/v1/boathouse/erg/seat-3/split",
                "rowgate/v1/boathouse/erg/seat-3/summary",
                "rowgate/v1/boathouse/erg/seat-3/gap",
                "rowgate/v1/boathouse/erg/seat-3/manifest",
                "rowgate/v1/boathouse/erg/seat-3/alert",
                "rowgate/v1/boathouse/erg/seat-3/rollup",
            ])
        let retained: [RetainedTopic] = [
            .availability, .birth, .health, .clock, .workouts, .roster, .relays,
            .stationAvailability(erg), .info(erg), .state(erg), .lastSummary(erg), .marks(erg), .alerts(erg),
            .alerts(nil),
        ]
        #expect(
            retained.map(topics.topic(of:)) == [
                "rowgate/v1/boathouse/availability",
                "rowgate/v1/boathouse/birth",
                "rowgate/v1/boathouse/health",
                "rowgate/v1/boathouse/clock",
                "rowgate/v1/boathouse/workouts",
                "rowgate/v1/boathouse/roster",
                "rowgate/v1/boathouse/relays",
                "rowgate/v1/boathouse/erg/seat-3/availability",
                "rowgate/v1/boathouse/erg/seat-3/info",
                "rowgate/v1/boathouse/erg/seat-3/state",
                "rowgate/v1/boathouse/erg/seat-3/last_summary",
                "rowgate/v1/boathouse/erg/seat-3/marks",
                "rowgate/v1/boathouse/erg/seat-3/alerts",
                "rowgate/v1/boathouse/alerts",
            ])
        #expect(topics.live(erg) == "rowgate/v1/boathouse/erg/seat-3/live")
        #expect(topics.response(from: nil, verb: "ping") == "rowgate/v1/boathouse/rsp/ping")
        #expect(
            topics.response(from: erg, verb: "rate") == "rowgate/v1/boathouse/erg/seat-3/rsp/rate")
    }

    @Test func incoming() {
        let root = "rowgate/v1/boathouse/"
        #expect(topics.incoming("homeassistant/status") == .homeAssistantStatus)
        #expect(topics.incoming(root + "availability") == .availability)
        #expect(topics.incoming(root + "cmd/ping") == .command(target: .gateway, verb: "ping"))
        #expect(
            topics.incoming(root + "erg/seat-3/cmd/rate")
                == .command(target: .station(erg), verb: "rate"))
        #expect(
            topics.incoming(root + "erg/all/cmd/workout")
                == .command(target: .everyStation, verb: "workout"))
        // Retained messages of an erg, and discovery messages.
        #expect(topics.incoming(root + "erg/seat-3/availability") == .retained(erg))
        #expect(topics.incoming("homeassistant/device/lamp/config") == .homeAssistantDevice)
        for stranger in [
            "", "rowgate/v1/other/cmd/ping", root + "cmd/", root + "cmd", root + "cmd/a/b",
            root + "erg//cmd/x", root + "erg/UPPER/cmd/x", root + "erg/seat-3/cmd/",
            root + "erg/seat-3/live", root + "health", "rowgate/v1/boathouse",
            "rowgate/v1/other/erg/seat-3/state",
        ] {
            #expect(topics.incoming(stranger) == nil, "\(stranger)")
        }
    }

    @Test func parsesEveryTopicThatItBuilds() {
        let stations: [StationID?] = [nil, erg, StationID("erg")!, StationID("cmd")!]
        var all: [GatewayTopic] = [.command(.everyStation, verb: "assign"), .roomLive]
        all += ["all", "live", "rollup", "erg"].compactMap { CrewID($0).map { .crewLive($0) } }
        for station in stations {
            all += StreamKind.all(of: station)
                .map { .record(StreamID(station: station, kind: $0)) }
            all += RetainedTopic.all(of: station).map { .retained($0) }
            all += ["ping", "cmd", "rsp"].flatMap { verb -> [GatewayTopic] in
                [
                    .command(station.map { .station($0) } ?? .gateway, verb: verb),
                    .reply(from: station, verb: verb),
                ]
            }
            if let station { all.append(.live(station)) }
        }
        for gateway in ["boathouse", "erg"].compactMap({ GatewayID($0) }) {
            let built = all.map(TopicMap(gateway: gateway, below: .standard).topic(of:))
            #expect(Set(built).count == all.count)
            for (topic, text) in zip(all, built) {
                let parsed = TopicPrefix.standard.parse(text)
                #expect(parsed?.gateway == gateway && parsed?.topic == topic, "\(text)")
                #expect(
                    TopicPrefix.standard.parse(text + "/") == nil
                        && TopicPrefix.standard.parse("/" + text) == nil)
            }
        }
        for stranger in [
            "rowgate/v1/boathouse/erg/all/rsp/ping", "rowgate/v1/boathouse/erg/all/state",
            "rowgate/v1/boathouse/erg/seat-3/event", "rowgate/v1/boathouse/stroke",
            "rowgate/v2/boathouse/birth", "rowgate/v1/A/birth", "rowgate/v1/boathouse/",
            "rowgate/v1/boathouse/erg/all/cmd/", "rowgate/v1/boathouse/erg/seat-3/config",
            "rowgate/v1/boathouse/erg/seat-3", "rowgate/v1/boathouse/erg/seat-3/stroke/1",
            "rowgate/v1/boathouse/erg/erg/seat-3/stroke", "rowgate/v1/boathouse/erg/A/stroke",
        ] {
            #expect(TopicPrefix.standard.parse(stranger) == nil, "\(stranger)")
        }
    }

    private static let noSlugs = [
        "", "a/b", "#", "+", "A", "ä", String(repeating: "a", count: 33),
    ]

    @Test(arguments: noSlugs)
    func slugs(text: String) {
        #expect(GatewayID(text) == nil)
    }
}
