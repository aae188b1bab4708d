import PM5Codec
import Testing
import Timeline

@testable import Relay

/// A reference, because `#expect` calls no mutating method.
private final class Requests {
    var value = RelayedRequests()

    func enqueue(_ bytes: [UInt8], write: Int) -> Bool { value.enqueue(bytes, write: write) }
    func begin(at now: BootInstant) -> [(write: Int, bytes: [UInt8])] { value.begin(at: now) }
    func next(at now: BootInstant) -> [(write: Int, bytes: [UInt8])] { value.next(at: now) }
    func receive(_ bytes: some Sequence<UInt8>) -> Bool { value.receive(bytes) }
    func tick(at now: BootInstant) -> Bool { value.tick(at: now) }
    func reset() -> [Int] { value.reset() }
    func dropWaiting() -> [Int] { value.dropWaiting() }
}

@Suite struct RelayedRequestsTests {
    private static let request: [UInt8] = [0xF1, 0x91, 0x91, 0xF2]
    private static let reply: [UInt8] = [0xF1, 0x81, 0x91, 0x07, 0x16, 0xF2]

    private static func at(_ milliseconds: UInt64) -> BootInstant {
        BootInstant(nanoseconds: milliseconds * 1_000_000)
    }

    private static func begun(_ values: [[UInt8]]) -> Requests {
        let requests = Requests()
        for (number, value) in values.enumerated() {
            #expect(requests.enqueue(value, write: number))
        }
        #expect(requests.begin(at: at(0)).map(\.bytes) == values)
        return requests
    }

    private static let settings: [Command] = [
        .wrapped(.setConfiguration, [.workoutDuration(.distance, 2000)]),
        .wrapped(.setConfiguration, [.configureWorkout(.enable)]), .setProgram(.programmed),
    ]

    @Test(
        arguments: zip(
            settings + [.terminateWorkout, .other(id: 0x91, data: [])], [true, true, true, false, false]))
    func knowsWhetherARequestSetsAWorkout(_ command: Command, _ setsWorkout: Bool) {
        // In two values, as a phone sends longer frames.
        let bytes = Frame(command).bytes
        let requests = Self.begun([Array(bytes[..<3]), Array(bytes[3...])])
        #expect(requests.value.setsWorkout == setsWorkout)
        #expect(requests.receive(Self.reply))
        #expect(requests.value.setsWorkout == setsWorkout)
        #expect(requests.enqueue(Self.request, write: 2))
        _ = requests.begin(at: Self.at(100))
        #expect(!requests.value.setsWorkout)
    }

    @Test func holdsTheChannelUntilTheReplyHasEnded() {
        let requests = Self.begun([Self.request])
        #expect(requests.value.isActive)
        #expect(!requests.receive(Self.reply[..<3]))
        #expect(requests.value.isActive)
        #expect(requests.receive(Self.reply[3...]))
        #expect(!requests.value.isActive)
    }

    @Test func holdsTheChannelWhileARequestIsIncomplete() {
        let requests = Self.begun([[0xF0, 0xFD, 0x00, 0x77]])
        // A duplicate of an earlier reply does not end it.
        #expect(!requests.receive(Self.reply))
        #expect(requests.enqueue([0x09, 0xF2], write: 1))
        #expect(requests.next(at: Self.at(10)).map(\.write) == [1])
        #expect(requests.receive(Self.reply))
    }

    @Test func waitsForAReplyToEachOfSeveralFrames() {
        let requests = Self.begun([Self.request + Self.request])
        #expect(!requests.receive(Self.reply))
        #expect(requests.receive(Self.reply))
    }

    @Test func acceptsTwoRepliesInOneValue() {
        let requests = Self.begun([Self.request + Self.request])
        #expect(requests.receive(Self.reply + Self.reply))
    }

    @Test func sendsOneRequestAtATime() {
        let requests = Self.begun([Self.request])
        #expect(requests.enqueue(Self.request, write: 1))
        #expect(requests.enqueue(Self.request, write: 2))
        #expect(requests.next(at: Self.at(5)).isEmpty)
        #expect(requests.receive(Self.reply))
        #expect(requests.begin(at: Self.at(60)).map(\.write) == [1])
        #expect(requests.receive(Self.reply))
        #expect(requests.begin(at: Self.at(120)).map(\.write) == [2])
    }

    @Test func releasesTheChannelWithoutAReply() {
        let requests = Self.begun([Self.request])
        #expect(requests.value.deadline == Self.at(2000))
        #expect(!requests.tick(at: Self.at(1999)))
        #expect(requests.tick(at: Self.at(2000)))
        #expect(requests.value.deadline == nil)
        // The late reply changes nothing.
        #expect(!requests.receive(Self.reply))
    }

    @Test func ignoresNoiseBetweenFrames() {
        let requests = Self.begun([Self.request])
        #expect(!requests.receive([0x00]))
        #expect(!requests.receive([0xF2]))
        #expect(requests.receive(Self.reply))
    }

    @Test func splitsValuesThatTheMonitorWouldNotTake() {
        let requests = Requests()
        let long: [UInt8] = [0xF1] + Array(repeating: 0x01, count: 43) + [0xF2]
        #expect(requests.enqueue(long, write: 7))
        let values = requests.begin(at: Self.at(0))
        #expect(values.map(\.bytes.count) == [20, 20, 5])
        #expect(values.flatMap(\.bytes) == long)
        #expect(values.allSatisfy { $0.write == 7 })
    }

    @Test func refusesMoreValuesThanItMayHold() {
        let requests = Requests()
        for number in 0..<RelayedRequests.waitingLimit {
            #expect(requests.enqueue(Self.request, write: number))
        }
        #expect(!requests.enqueue(Self.request, write: 100))
        #expect(requests.reset().count == RelayedRequests.waitingLimit)
        #expect(!requests.value.isWaiting)
    }

    @Test func keepsTheChannelUntilTheReplyToAPhoneThatIsGone() {
        let requests = Self.begun([Self.request])
        #expect(requests.enqueue(Self.request, write: 9))
        #expect(requests.dropWaiting() == [9])
        #expect(requests.value.isActive)
        #expect(requests.receive(Self.reply))
    }
}
