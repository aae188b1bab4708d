import Contract
import HostRuntime
import Synchronization
import Testing

@testable import Logbook
@testable import MQTTClient
@testable import WebServer

/// Readers of the live stream, tick by tick. No time passes.
@Suite struct LiveRoomTests {
    private final class Permission: Sendable {
        let isGiven = Mutex(true)
    }

    private let room = LiveRoom(
        runtime: SystemRuntime(), log: SystemLog(subsystem: "test", threshold: .critical))

    private func publish(_ payload: String, of erg: String = "e-1") {
        room.handle(
            IncomingMessage(topic: "rowgate/v1/b/erg/\(erg)/live", payload: Array(payload.utf8)))
    }

    private func text(_ reader: any WebStream) -> String {
        String(decoding: reader.next() ?? [], as: UTF8.self)
    }

    @Test func sendsOnlyTheNewestStateOnceATick() {
        let reader = room.open(StreamWaker())
        #expect(text(reader).hasPrefix("retry: 1000\n\nevent: room\n"))
        for number in 1...100 { publish("{\"n\":\(number)}") }
        #expect(text(reader) == "")
        room.advance()
        let events = text(reader)
        #expect(events.contains("\"payload\":{\"n\":100}"))
        #expect(events.components(separatedBy: "event: erg").count == 2)
        publish("{\"n\":101}")
        #expect(text(reader) == "")
    }

    @Test func sendsEachReaderOnlyItsGateway() throws {
        // Two readers of one gateway each and one of both read in the same tick, in any order.
        let gateways = [GatewayID("b"), GatewayID("c"), nil]
        let readers = gateways.map { room.open(StreamWaker(), of: LiveBoard.Scope(gateway: $0)) }
        for reader in readers { _ = text(reader) }
        for order in [[0, 1, 2], [2, 1, 0]] {
            publish("{\"n\":1}")
            room.handle(
                IncomingMessage(topic: "rowgate/v1/c/erg/e-9/live", payload: Array("{}".utf8)))
            room.advance()
            let updates = order.map { ($0, text(readers[$0])) }
            for (reader, events) in updates {
                #expect(events.contains(#""gw":"b""#) == (reader != 1), "\(events)")
                #expect(events.contains(#""gw":"c""#) == (reader != 0), "\(events)")
            }
        }
    }

    @Test func endsTheStreamWhenThePermissionEnds() {
        let permission = Permission()
        let reader = room.open(StreamWaker()) { permission.isGiven.withLock { $0 } }
        #expect(reader.next() != nil)
        permission.isGiven.withLock { $0 = false }
        #expect(reader.next() == nil)
    }

    @Test func slowReaderGetsOnlyTheNewestStates() {
        let reader = room.open(StreamWaker())
        _ = text(reader)
        for number in 1...10 {
            publish("{\"n\":\(number)}", of: number % 2 == 0 ? "e-1" : "e-2")
            room.advance()
        }
        let events = text(reader)
        #expect(events.components(separatedBy: "event: erg").count == 3)
        #expect(events.contains("{\"n\":10}") && events.contains("{\"n\":9}"))
    }

    @Test func sendsAKeepAliveAtLeastEveryTwoSeconds() {
        let reader = room.open(StreamWaker())
        _ = text(reader)
        #expect(LiveRoom.tickInterval * Int(LiveRoom.beatTicks) <= .seconds(2))
        for _ in 0..<20 {
            var beats = 0
            for _ in 0..<LiveRoom.beatTicks {
                room.advance()
                beats += text(reader).components(separatedBy: "event: beat").count - 1
            }
            #expect(beats == 1)
        }
    }

    @Test func countsRefusedMessages() {
        for _ in 0..<1000 { publish("no json") }
        #expect(room.refused == [.noObject: 1000])
    }

    @Test func limitsTheNumberOfReaders() {
        let readers = (0..<LiveRoom.maximumReaders).map { _ in room.open(StreamWaker()) }
        #expect(!room.hasCapacity)
        readers[7].end()
        #expect(room.hasCapacity)
    }
}
