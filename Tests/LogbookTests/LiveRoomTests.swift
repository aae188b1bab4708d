import Contract
import HostRuntime
import Synchronization
import Testing

@testable import Logbook
@testable import MQTTClient
@testable import WebServer

/// Readers of the room, tick by tick; no time passes.
@Suite struct LiveRoomTests {
    private final class Permission: Sendable {
        let isGiven = Mutex(true)
    }

    private let room = LiveRoom(
        runtime: SystemRuntime(), log: SystemLog(subsystem: "test", threshold: .critical))

    private func say(_ payload: String, of erg: String = "e-1") {
        room.hear(
            IncomingMessage(topic: "rowgate/v1/b/erg/\(erg)/live", payload: Array(payload.utf8)))
    }

    private func text(_ reader: any WebStream) -> String {
        String(decoding: reader.next() ?? [], as: UTF8.self)
    }

    @Test func aReaderIsToldOfAnErgOnceInATickWithTheNewest() {
        // Goal: at most four events a second and erg, however much is published. Method: a hundred
        // messages between two ticks, read as often as the reader can.
        let reader = room.open(StreamWaker())
        #expect(text(reader).hasPrefix("retry: 1000\n\nevent: room\n"))
        for number in 1...100 { say("{\"n\":\(number)}") }
        #expect(text(reader) == "")
        room.advance()
        let events = text(reader)
        #expect(events.contains("\"payload\":{\"n\":100}"))
        #expect(events.components(separatedBy: "event: erg").count == 2)
        say("{\"n\":101}")
        #expect(text(reader) == "")
    }

    @Test func readersOfTwoRoomsAreToldOfTheirOwnInOneTick() throws {
        // Goal: what one reader is told is not another room's. Method: three readers of the same tick, two of
        // a room each and one of both, in any order.
        let gateways = [GatewayID("b"), GatewayID("c"), nil]
        let readers = gateways.map { room.open(StreamWaker(), of: $0) }
        for reader in readers { _ = text(reader) }
        for order in [[0, 1, 2], [2, 1, 0]] {
            say("{\"n\":1}")
            room.hear(
                IncomingMessage(topic: "rowgate/v1/c/erg/e-9/live", payload: Array("{}".utf8)))
            room.advance()
            let told = order.map { ($0, text(readers[$0])) }
            for (reader, events) in told {
                #expect(events.contains(#""gw":"b""#) == (reader != 1), "\(events)")
                #expect(events.contains(#""gw":"c""#) == (reader != 0), "\(events)")
            }
        }
    }

    @Test func whoMayNoLongerReadIsToldNothingMore() {
        // Goal: a token that is removed ends what runs on it. Method: a reader whose permission ends.
        let permission = Permission()
        let reader = room.open(StreamWaker()) { permission.isGiven.withLock { $0 } }
        #expect(reader.next() != nil)
        permission.isGiven.withLock { $0 = false }
        #expect(reader.next() == nil)
    }

    @Test func aSlowReaderMissesWhatIsOverAndGetsTheNewest() {
        // Goal: no queue for who does not read. Method: a reader that sleeps for ten ticks of two ergs.
        let reader = room.open(StreamWaker())
        _ = text(reader)
        for number in 1...10 {
            say("{\"n\":\(number)}", of: number % 2 == 0 ? "e-1" : "e-2")
            room.advance()
        }
        let events = text(reader)
        #expect(events.components(separatedBy: "event: erg").count == 3)
        #expect(events.contains("{\"n\":10}") && events.contains("{\"n\":9}"))
    }

    @Test func aSignOfLifeComesAtLeastEveryTwoSeconds() {
        // Goal: a page knows that the stream lives while nobody rows. Method: eight ticks, which are
        // two seconds, from every beginning.
        let reader = room.open(StreamWaker())
        _ = text(reader)
        #expect(LiveRoom.pace * Int(LiveRoom.beatTicks) <= .seconds(2))
        for _ in 0..<20 {
            var beats = 0
            for _ in 0..<LiveRoom.beatTicks {
                room.advance()
                beats += text(reader).components(separatedBy: "event: beat").count - 1
            }
            #expect(beats == 1)
        }
    }

    @Test func aRefusalIsSaidOnceAndCounted() {
        // Goal: a hostile publisher fills neither memory nor journal. Method: a thousand bad messages.
        for _ in 0..<1000 { say("no json") }
        #expect(room.refused == [.noObject: 1000])
    }

    @Test func seatsAreLimitedAndGivenBack() {
        // Goal: no reader too many. Method: fill every seat, and leave one.
        let readers = (0..<LiveRoom.maximumReaders).map { _ in room.open(StreamWaker()) }
        #expect(!room.hasSeat)
        readers[7].end()
        #expect(room.hasSeat)
    }
}
