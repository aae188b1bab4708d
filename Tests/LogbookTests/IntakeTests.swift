import Contract
import DeliveryProof
import TestSupport
import Testing
import Timeline

@testable import Logbook
@testable import LogbookStores

/// Batches, one by one.
@Suite struct IntakeTests {
    private var intake = Intake(HoleLedger(), token: "test")
    private var traffic = Traffic()

    private func at(_ milliseconds: Int) -> BootInstant {
        BootInstant(nanoseconds: 0).advanced(by: .milliseconds(milliseconds))
    }

    private mutating func hear(_ messages: [Traffic.Message], _ milliseconds: Int) {
        for message in messages {
            _ = intake.hear(message.topic, message.payload, at: at(milliseconds))
        }
    }

    private mutating func batch(_ milliseconds: Int) -> Int? {
        intake.nextBatch(at: at(milliseconds), unixMilliseconds: 0)?.records.count
    }

    @Test mutating func aBatchIsDueWhenItIsFullOrASecondOld() {
        // Goal: few commits, and none late. Method: one record, then five hundred at once.
        #expect(batch(0) == nil)
        hear([traffic.event()], 0)
        #expect(batch(999) == nil)
        #expect(batch(1000) == 1)
        hear((0..<499).map { _ in traffic.event() }, 1000)
        #expect(batch(1500) == nil)
        intake.stored(at: at(1500))
        #expect(batch(1500) == nil)
        hear([traffic.event()], 1600)
        #expect(batch(1600) == 500)
    }

    @Test mutating func aBatchThatFailedIsTriedAgainAsItWas() {
        // Goal: nothing is lost or mixed up while a store refuses. Method: failures, records between.
        hear([traffic.event()], 0)
        #expect(batch(1000) == 1)
        intake.notStored(at: at(1000))
        hear([traffic.event(), traffic.event()], 1000)
        #expect(batch(1999) == nil)
        #expect(batch(2000) == 1)
        intake.notStored(at: at(2000))
        #expect(batch(3999) == nil)
        #expect(batch(4000) == 1)
        intake.stored(at: at(4000))
        #expect(batch(4000) == 2)
        #expect(intake.waitingCount == 2)
    }

    @Test mutating func whatDoesNotFitStaysAHole() throws {
        // Goal: a store that refuses for days costs bounded memory, and what was let go is asked for.
        // Method: records of 16 KB each until there is no room; the numbers that are owed.
        var refused = 0
        for _ in 0..<1200 {
            let message = bulky()
            if case .full? = intake.hear(message.topic, message.payload, at: at(0)) { refused += 1 }
        }
        #expect(refused == 1)
        let count = try #require(intake.refused[.full])
        #expect(count > 80 && count < 200)
        let birth = traffic.birth()
        hear([birth], 0)
        let holes = intake.ledger.holes(of: traffic.gateway)
        #expect(holes.map(\.sequences) == [1201 - count...1200])
        #expect(intake.requests(at: at(60_000)) == [])
    }

    @Test mutating func refusalNamesWhyTheStoreFails() throws {
        hear([traffic.event()], 0)
        #expect(batch(1000) == 1)
        intake.notStored(at: at(1000), .readOnly)
        for _ in 0..<1200 { hear([bulky()], 1000) }
        let count = try #require(intake.refused[.storeFailed(.readOnly)])
        #expect(count > 80 && intake.refused.count == 1)
        #expect(Intake.Refusal.storeFailed(.readOnly).reason == "read_only")
        #expect(batch(2000) == 1)
        intake.stored(at: at(2000))
        hear([bulky()], 2000)
        #expect(intake.refused[.full] == 1)
    }

    /// An event of more than 16 KB.
    private mutating func bulky() -> Traffic.Message {
        var message = traffic.event()
        let text = String(decoding: message.payload, as: UTF8.self)
        let filling = String(repeating: "x", count: 16_000)
        message.payload = Array(
            text.replacing(#""event":"#, with: #""filling":"\#(filling)","event":"#).utf8)
        return message
    }

    @Test mutating func aStoreThatIsOnlySlowHoldsRecordsUp() {
        // Goal: what comes faster than it is stored waits in the broker, unless nothing is stored at all.
        // Method: as many as fit; a store that takes one batch and then hangs, one that refuses.
        hear([traffic.event()], 0)
        #expect(batch(1000) == 1)
        intake.stored(at: at(1000))
        hear((0..<1000).map { _ in bulky() }, 1000)
        #expect(!intake.isHeldUp(at: at(1000)))
        hear((0..<100).map { _ in bulky() }, 1000)
        #expect(intake.refused[.full] != nil)
        #expect(intake.isHeldUp(at: at(1000)))
        #expect(intake.isHeldUp(at: at(2999)))
        #expect(!intake.isHeldUp(at: at(3000)))
        #expect(batch(3000) != nil)
        intake.notStored(at: at(3000))
        #expect(!intake.isHeldUp(at: at(2500)))
        #expect(batch(5000) != nil)
        intake.stored(at: at(5000))
        #expect(!intake.isHeldUp(at: at(5000)))
    }

    @Test mutating func streamsAreLimited() {
        // Goal: made-up ergs do not fill the memory. Method: marks of ever other epochs; there is room
        // for what is known, and for nobody else.
        func stream(_ number: Int) -> StoredStream {
            let digits = String(number)
            return StoredStream(
                gateway: traffic.gateway,
                epoch: String(repeating: "0", count: 26 - digits.count) + digits,
                stream: Traffic.stream(.stroke))
        }
        let most = HoleLedger.maximumStreams
        for number in 0..<most + 1000 {
            traffic.epoch = stream(number).epoch
            hear([traffic.marks([.stroke: 5])], 0)
        }
        let hasRoom = [0, most - 1, most, most + 999].map {
            intake.ledger.hasRoom(for: stream($0))
        }
        #expect(hasRoom == [true, true, false, false])
    }

    // MARK: Sharing a store

    private static let others = GatewayParts.all.numbers.subtracting([
        GatewayParts.part(of: Traffic().gateway)
    ])

    private func share(_ parts: GatewayParts, taken: GatewayParts = .none) -> StoreShare {
        StoreShare(parts: parts, taken: taken, logbooks: 2)
    }

    @Test mutating func anothersRecordsAreNotTaken() {
        // Goal: of a gateway that is another logbook's nothing is stored and nothing asked for, until it
        // is ours; then what the store lacks is. Method: records and a birth; the part changes hands.
        intake.take(share(GatewayParts(Self.others)), [], [])
        let session = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 3)
        intake.connected()
        let online = Traffic.Message(
            topic: "rowgate/v1/boathouse/availability", payload: Array("online".utf8))
        hear([online], 0)
        hear(session + [traffic.birth()], 0)
        #expect(intake.waitingCount == 0)
        #expect(intake.requests(at: at(0)) + intake.requests(at: at(20_000)) == [])
        intake.take(share(.all, taken: .all), [], [])
        #expect(intake.requests(at: at(30_000)) == [])
        #expect(intake.requests(at: at(40_000)).count == 1)
        hear(session, 40_000)
        #expect(intake.waitingCount == session.count)
    }

    @Test mutating func whatIsOnItsWayIsNoHole() throws {
        // Goal: taking a part over forgets nothing that waits for the store, and believes the store where
        // others wrote. Method: records wait; the store tells of others; then the part is lost.
        let first = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DE", strokes: 3)
        let second = traffic.session("01J7ZK3Q5XQ4W8G9T2V6B0C1DF", strokes: 3)
        hear(second, 0)
        let stored = try first.map {
            try KeptRecord($0.payload, of: $0.stream!, from: traffic.gateway)
        }
        let states = Dictionary(grouping: stored, by: \.stream).map { stream, records in
            var extent = StreamExtent()
            for record in records { extent.take(record.sequence) }
            return StreamState(
                stream: stream, extent: extent, gone: SequenceSet(), removed: SequenceSet(),
                repeats: 0, conflicts: 0)
        }
        intake.take(share(.all, taken: .all), states, [])
        #expect(intake.ledger.holes(of: traffic.gateway) == [])
        intake.take(share(GatewayParts(Self.others)), [], [])
        #expect(intake.waitingCount == 0)
        #expect(batch(60_000) ?? 0 == 0)
    }
}
