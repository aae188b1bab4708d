import Contract
import HostRuntime
import LogbookStores
import MQTTClient
import TestSupport
import Testing

@testable import Logbook

@Suite struct MessageRouterTests {
    private static func decode(_ topic: String, _ payload: String) -> ReceivedMessage? {
        ReceivedMessage(IncomingMessage(topic: topic, payload: Array(payload.utf8)))
    }

    @Test func decodesOneCaseForEachKindOfMessage() throws {
        let erg = StationID(valid: "e-1")
        let record = try #require(Self.decode("rowgate/v1/b/erg/e-1/stroke", #"{"seq":7}"#))
        guard case .record(let stream, .value(let fields)) = record.content else {
            Issue.record("\(record.content)")
            return
        }
        #expect(stream == StreamID(station: erg, kind: .stroke))
        #expect(fields.number("seq") == 7)
        #expect(record.gateway.slug == "b")
        #expect(record.topicName == "rowgate/v1/b/erg/e-1/stroke")
        guard
            case .availability(nil, .value(.online))? =
                Self.decode("rowgate/v1/b/availability", "online")?.content,
            case .availability(erg, .value(.offline))? =
                Self.decode("rowgate/v1/b/erg/e-1/availability", "offline")?.content,
            case .retained(.state(erg), .value)? =
                Self.decode("rowgate/v1/b/erg/e-1/state", "{}")?.content,
            case .live(.value)? = Self.decode("rowgate/v1/b/crew/four/live", "{}")?.content,
            case .live(.value)? = Self.decode("rowgate/v1/b/erg/e-1/live", "{}")?.content,
            case .reply(erg, "ping", .value)? =
                Self.decode("rowgate/v1/b/erg/e-1/rsp/ping", "{}")?.content
        else {
            Issue.record("a message is decoded to another case")
            return
        }
    }

    @Test func ignoresTopicsWithoutHandler() {
        for topic in [
            "rowgate/v1/b/cmd/ping", "rowgate/v1/b/room/live", "rowgate/v1/b/x", "rowgate/v2/b/health", "x",
        ] {
            #expect(Self.decode(topic, "{}")?.topicName == nil, "\(topic)")
        }
    }

    @Test func distinguishesClearedAndMalformedPayloads() {
        let long = String(repeating: "1", count: ReceivedMessage.maximumBytes)
        for (topic, payload, isEmpty) in [
            ("health", "", true), ("health", "{", false), ("health", "[]", false), ("health", long, false),
            ("availability", "", true), ("availability", "away", false),
        ] {
            switch Self.decode("rowgate/v1/b/" + topic, payload)?.content {
            case .availability(_, .empty), .retained(_, .empty): #expect(isEmpty)
            case .availability(_, .malformed), .retained(_, .malformed): #expect(!isEmpty)
            case let other: Issue.record("\(topic) \(payload.prefix(9)): \(String(describing: other))")
            }
        }
    }

    // A broken record is one rejection of the ingester and one of the wall, as each shows its own reason.
    @Test func brokenRecordIsCountedOncePerHandler() throws {
        let folder = try TemporaryFolder()
        let (runtime, log) = (SystemRuntime(), SystemLog(subsystem: "test", threshold: .critical))
        let room = LiveRoom(runtime: runtime, log: log)
        let ingester = try RecordIngester(
            SQLiteStore(folder.path("logbook.db"), for: .recording), runtime: runtime, log: log)
        let router = MessageRouter(
            room: room, commands: CommandService(room: room, runtime: runtime, log: log), ingester: ingester)
        router.route(
            IncomingMessage(
                topic: "rowgate/v1/b/erg/e-1/stroke", payload: Array(#"{,"historical":false}"#.utf8)))
        #expect(room.refused == [.noObject: 1])
        #expect(ingester.refused.map(\.value) == [1])
        #expect(ingester.refused.keys.first?.message.hasPrefix("it is not JSON: ") == true)
        ingester.stop()
    }
}
