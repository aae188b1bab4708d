import PM5Codec
import Testing

@testable import Rowing
@testable import Timeline

@Suite struct ControlExchangeTests {
    private static let terminate: [ProprietaryCommand] = [.screenState(.workout, .terminateWorkout)]
    private static let start = BootInstant(nanoseconds: 1_000_000_000)

    private func answer(
        toggle: Bool, _ ids: [ProprietaryCommand], _ previous: StatusByte.PreviousFrame = .ok
    ) -> [UInt8] {
        let replies =
            previous == .ok ? [Reply(.setConfiguration, ids.map(Reply.acknowledging))] : []
        return Response(
            status: StatusByte(toggle: toggle, previousFrame: previous, state: .ready),
            replies: replies
        ).frame().bytes
    }

    @Test func acceptsOnlyTheAnswerToThePendingRequest() {
        // Noise, the answer in two pieces, its duplicate, and a frame with another answer.
        var exchange = ControlExchange()
        let pieces = exchange.send(Self.terminate, in: .setConfiguration, at: Self.start)
        #expect(pieces == [[0xF1, 0x76, 0x04, 0x13, 0x02, 0x01, 0x02, 0x60, 0xF2]])
        let wire = answer(toggle: true, Self.terminate)
        #expect(exchange.receive([0x00], at: Self.start) == nil)
        #expect(
            exchange.receive(answer(toggle: true, [.configureWorkout(.enable)]), at: Self.start)
                == nil)
        #expect(exchange.receive(wire.prefix(3), at: Self.start) == nil && exchange.isWaiting)
        guard case .answered? = exchange.receive(wire.dropFirst(3), at: Self.start) else {
            Issue.record("not answered")
            return
        }
        #expect(exchange.receive(wire, at: Self.start) == nil && !exchange.isWaiting)
        _ = exchange.send(Self.terminate, in: .setConfiguration, at: Self.start)
        #expect(exchange.receive(wire, at: Self.start) == nil, "the first answer again")
        #expect(exchange.receive(answer(toggle: false, Self.terminate), at: Self.start) != nil)
    }

    @Test func distinguishesRejectionDeferralAndTimeout() {
        // Each status byte, and a timeout. Frames keep their minimum distance.
        for (previous, event) in [
            (StatusByte.PreviousFrame.reject, ControlExchange.Outcome.rejected),
            (.bad, .deferred), (.notReady, .deferred),
        ] {
            var exchange = ControlExchange()
            _ = exchange.send(Self.terminate, in: .setConfiguration, at: Self.start)
            #expect(
                exchange.receive(answer(toggle: true, [], previous), at: Self.start) == event)
        }
        var exchange = ControlExchange()
        _ = exchange.send(Self.terminate, in: .setConfiguration, at: Self.start)
        let limit = Self.start.advanced(by: ControlExchange.replyLimit)
        #expect(exchange.deadline == limit)
        #expect(exchange.tick(at: Self.start.advanced(by: .milliseconds(1999))) == nil)
        #expect(exchange.tick(at: limit) == .unanswered && exchange.tick(at: limit) == nil)
        #expect(
            exchange.nextSlot(after: Self.start) == Self.start.advanced(by: .milliseconds(50)))
    }
}
