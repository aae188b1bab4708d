import Rowing
import Testing

@testable import MQTTPublishing

@Suite struct TopicMapTests {
    private let topics = TopicMap(gateway: GatewayID("boathouse")!)
    private let seat = StationID("seat-3")!

    /// Each topic is the contract's, letter by letter; compared with a list written out by hand.
    @Test func outgoing() {
        let streams = StreamKind.allCases.map { kind in
            topics.topic(of: StreamID(station: kind == .event ? nil : seat, kind: kind))
        }
        #expect(
            streams == [
                "rowgate/v1/boathouse/event",
                "rowgate/v1/boathouse/erg/seat-3/session",
                "rowgate/v1/boathouse/erg/seat-3/stroke",
                "rowgate/v1/boathouse/erg/seat-3/force",
                "rowgate/v1/boathouse/erg/seat-3/split",
                "rowgate/v1/boathouse/erg/seat-3/summary",
                "rowgate/v1/boathouse/erg/seat-3/gap",
                "rowgate/v1/boathouse/erg/seat-3/manifest",
            ])
        let retained: [RetainedTopic] = [
            .availability, .birth, .health, .clock, .stationAvailability(seat), .info(seat),
            .state(seat), .lastSummary(seat), .marks(seat),
        ]
        #expect(
            retained.map(topics.topic(of:)) == [
                "rowgate/v1/boathouse/availability",
                "rowgate/v1/boathouse/birth",
                "rowgate/v1/boathouse/health",
                "rowgate/v1/boathouse/clock",
                "rowgate/v1/boathouse/erg/seat-3/availability",
                "rowgate/v1/boathouse/erg/seat-3/info",
                "rowgate/v1/boathouse/erg/seat-3/state",
                "rowgate/v1/boathouse/erg/seat-3/last_summary",
                "rowgate/v1/boathouse/erg/seat-3/marks",
            ])
        #expect(topics.live(seat) == "rowgate/v1/boathouse/erg/seat-3/live")
        #expect(topics.response(from: nil, verb: "ping") == "rowgate/v1/boathouse/rsp/ping")
        #expect(
            topics.response(from: seat, verb: "rate") == "rowgate/v1/boathouse/erg/seat-3/rsp/rate")
    }

    /// What comes in is sorted by target and verb, and nothing else gets through; by example.
    @Test func incoming() {
        let root = "rowgate/v1/boathouse/"
        #expect(topics.incoming("homeassistant/status") == .homeAssistantStatus)
        #expect(topics.incoming(root + "availability") == .availability)
        #expect(topics.incoming(root + "cmd/ping") == .command(target: .gateway, verb: "ping"))
        #expect(
            topics.incoming(root + "erg/seat-3/cmd/rate")
                == .command(target: .station(seat), verb: "rate"))
        #expect(
            topics.incoming(root + "erg/all/cmd/workout")
                == .command(target: .everyStation, verb: "workout"))
        for stranger in [
            "", "rowgate/v1/other/cmd/ping", root + "cmd/", root + "cmd", root + "cmd/a/b",
            root + "erg//cmd/x", root + "erg/UPPER/cmd/x", root + "erg/seat-3/cmd/",
            root + "erg/seat-3/availability", "rowgate/v1/boathouse",
        ] {
            #expect(topics.incoming(stranger) == nil, "\(stranger)")
        }
    }

    /// A slug cannot carry wildcards or levels into a topic; by example.
    @Test(arguments: ["", "a/b", "#", "+", "A", "ä", String(repeating: "a", count: 33)])
    func slugs(text: String) {
        #expect(GatewayID(text) == nil)
    }
}
