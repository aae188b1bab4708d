import Contract
import LogbookStores
import TestSupport
import Testing
import Timeline

@testable import Logbook

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
        intake.stored()
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
        intake.stored()
        #expect(batch(4000) == 2)
        #expect(intake.waitingCount == 2)
    }

    @Test mutating func whatDoesNotFitStaysAHole() throws {
        // Goal: a store that refuses for days costs bounded memory, and what was let go is asked for.
        // Method: records of 16 KB each until there is no room; the numbers that are owed.
        let filling = String(repeating: "x", count: 16_000)
        var refused = 0
        for _ in 0..<1200 {
            var message = traffic.event()
            let text = String(decoding: message.payload, as: UTF8.self)
            message.payload = Array(
                text.replacing(#""event":"#, with: #""filling":"\#(filling)","event":"#).utf8)
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

    @Test mutating func streamsAreLimited() {
        // Goal: made-up ergs do not fill the memory. Method: marks of ever other epochs.
        for number in 0..<21_000 {
            let digits = String(number)
            let epoch = String(repeating: "0", count: 26 - digits.count) + digits
            traffic.epoch = epoch
            hear([traffic.marks([.stroke: 5])], 0)
        }
        let known = intake.ledger.streamCount
        #expect(known == HoleLedger.maximumStreams)
    }
}
