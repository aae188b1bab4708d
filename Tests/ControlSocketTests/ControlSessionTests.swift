import Testing

@testable import ControlSocket

@Suite struct ControlSessionTests {
    private static let second: UInt64 = 1_000_000_000

    private func session(_ change: (inout ControlLimits) -> Void = { _ in }) -> ControlSession {
        var limits = ControlLimits()
        limits.requestBytes = 10
        limits.outputBytes = 100
        change(&limits)
        return ControlSession(limits: limits, at: 0)
    }

    private func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: Array(bytes), as: UTF8.self)
    }

    @Test(arguments: [1, 2, 3, 7, 100])
    func messagesAreCutWhateverTheirPieces(size: Int) throws {
        // Goal: framing does not depend on how bytes arrive. Method: one stream whole, byte by byte
        // and in pieces; empty messages and one at the limit included.
        let stream = Array("one\0\0two\0ten-bytes.\0rest".utf8)
        var buffer = MessageBuffer(limit: 10)
        var messages: [String] = []
        var rest = stream[...]
        while !rest.isEmpty {
            buffer.append(rest.prefix(size))
            rest = rest.dropFirst(size)
            while let message = try buffer.next() { messages.append(text(message)) }
        }
        #expect(messages == ["one", "", "two", "ten-bytes."])
        #expect(buffer.count == 4)
    }

    @Test func oneByteOverTheLimitIsRefused() throws {
        // Goal: the limit is exact, with and without the NUL in sight. Method: 10 and 11 bytes.
        var buffer = MessageBuffer(limit: 10)
        buffer.append(Array("0123456789".utf8))
        #expect(try buffer.next() == nil)
        buffer.append(Array("0".utf8))
        #expect(throws: ControlFailure.requestTooLarge(limit: 10)) { try buffer.next() }
        var whole = MessageBuffer(limit: 10)
        whole.append(Array("01234567890\0".utf8))
        #expect(throws: ControlFailure.requestTooLarge(limit: 10)) { try whole.next() }
    }

    @Test func requestsArePerformedOneAfterTheOther() {
        // Goal: replies keep the order of the requests. Method: two requests at once; the second is
        // given out only after the last reply to the first.
        var session = session()
        session.receive(Array("a\0b\0".utf8))
        #expect(session.takeRequest(at: 0).map(text) == "a")
        #expect(session.takeRequest(at: 0) == nil)
        session.reply(Array("1".utf8), isLast: false, at: 0)
        #expect(session.takeRequest(at: 0) == nil)
        session.reply(Array("2".utf8), isLast: true, at: 0)
        #expect(session.takeRequest(at: 0).map(text) == "b")
        #expect(text(session.pendingOutput) == "1\u{0}2\u{0}")
    }

    @Test func inputIsReadOnlyWhileItFits() {
        // Goal: a flood of requests waits in the kernel, not here. Method: fill the input during a
        // request; reading stops, and goes on once the next request is taken.
        var session = session()
        session.receive(Array("a\0".utf8))
        _ = session.takeRequest(at: 0)
        session.receive(Array("bbbbb\0ccccc\0".utf8))
        #expect(!session.wantsInput)
        session.reply(nil, isLast: true, at: 0)
        #expect(session.takeRequest(at: 0).map(text) == "bbbbb")
        #expect(session.wantsInput)
    }

    @Test func endOfInputWaitsForTheAnswer() {
        // Goal: half-closed clients get what they asked for. Method: the steps of one exchange.
        var session = session()
        session.receive(Array("a\0".utf8))
        _ = session.takeRequest(at: 0)
        session.endInput()
        #expect(!session.isFinished)
        session.reply(Array("1".utf8), isLast: true, at: 0)
        #expect(!session.isFinished)
        session.didWrite(1, at: 0)
        #expect(!session.isFinished)
        session.didWrite(1, at: 0)
        #expect(session.isFinished)
    }

    @Test func refusalIsTheLastWord() {
        // Goal: after garbage nothing more is read or performed. Method: refuse with input waiting.
        var session = session()
        session.receive(Array("a\0b\0".utf8))
        _ = session.takeRequest(at: 0)
        session.hangUp(.malformedRequest("no"), at: 0)
        #expect(!session.wantsInput)
        #expect(session.takeRequest(at: 0) == nil)
        #expect(!session.isFinished)
        session.didWrite(session.pendingOutput.count, at: 0)
        #expect(session.isFinished)
    }

    @Test func outputBeyondItsLimitBreaksTheConnection() {
        // Goal: unread replies are bounded. Method: one byte over, its NUL included.
        var session = session()
        session.reply([UInt8](repeating: 1, count: 99), isLast: false, at: 0)
        #expect(!session.isFinished)
        session.reply([], isLast: false, at: 0)
        #expect(session.isFinished)
    }

    @Test func silenceAndStallsRunOut() {
        // Goal: a slot is not held by a client that does nothing. Method: step the clock over both
        // limits; a request being performed has no limit of its own.
        var session = session()
        #expect(!session.isOverdue(at: 60 * Self.second))
        #expect(session.isOverdue(at: 60 * Self.second + 1))
        session.receive(Array("a\0".utf8))
        _ = session.takeRequest(at: 60 * Self.second)
        #expect(!session.isOverdue(at: 1000 * Self.second))
        session.reply(Array("1".utf8), isLast: true, at: 1000 * Self.second)
        #expect(!session.isOverdue(at: 1010 * Self.second))
        #expect(session.isOverdue(at: 1010 * Self.second + 1))
        session.didWrite(1, at: 1010 * Self.second)
        #expect(!session.isOverdue(at: 1020 * Self.second))
        session.didWrite(1, at: 1020 * Self.second)
        #expect(!session.isOverdue(at: 1080 * Self.second))
        #expect(session.isOverdue(at: 1080 * Self.second + 1))
    }
}
