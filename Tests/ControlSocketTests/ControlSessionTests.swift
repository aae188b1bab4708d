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
    func splitsMessagesWhateverTheChunkSize(size: Int) throws {
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
        var buffer = MessageBuffer(limit: 10)
        buffer.append(Array("0123456789".utf8))
        #expect(try buffer.next() == nil)
        buffer.append(Array("0".utf8))
        #expect(throws: ControlFailure.requestTooLarge(limit: 10)) { try buffer.next() }
        var whole = MessageBuffer(limit: 10)
        whole.append(Array("01234567890\0".utf8))
        #expect(throws: ControlFailure.requestTooLarge(limit: 10)) { try whole.next() }
    }

    @Test func performsOneRequestAtATime() {
        var session = session()
        session.receive(Array("a\0b\0".utf8))
        #expect(session.beginNextRequest(at: 0).map(text) == "a")
        #expect(session.beginNextRequest(at: 0) == nil)
        session.reply(Array("1".utf8), isLast: false, at: 0)
        #expect(session.beginNextRequest(at: 0) == nil)
        session.reply(Array("2".utf8), isLast: true, at: 0)
        #expect(session.beginNextRequest(at: 0).map(text) == "b")
        #expect(text(session.pendingOutput) == "1\u{0}2\u{0}")
    }

    @Test func stopsReadingWhileTheInputIsFull() {
        var session = session()
        session.receive(Array("a\0".utf8))
        _ = session.beginNextRequest(at: 0)
        session.receive(Array("bbbbb\0ccccc\0".utf8))
        #expect(!session.wantsInput)
        session.reply(nil, isLast: true, at: 0)
        #expect(session.beginNextRequest(at: 0).map(text) == "bbbbb")
        #expect(session.wantsInput)
    }

    @Test func answersAfterTheClientHalfCloses() {
        var session = session()
        session.receive(Array("a\0".utf8))
        _ = session.beginNextRequest(at: 0)
        session.endInput()
        #expect(!session.isFinished)
        session.reply(Array("1".utf8), isLast: true, at: 0)
        #expect(!session.isFinished)
        session.didWrite(1, at: 0)
        #expect(!session.isFinished)
        session.didWrite(1, at: 0)
        #expect(session.isFinished)
    }

    @Test func performsNothingAfterHangUp() {
        var session = session()
        session.receive(Array("a\0b\0".utf8))
        _ = session.beginNextRequest(at: 0)
        session.hangUp(.malformedRequest("no"), at: 0)
        #expect(!session.wantsInput)
        #expect(session.beginNextRequest(at: 0) == nil)
        #expect(!session.isFinished)
        session.didWrite(session.pendingOutput.count, at: 0)
        #expect(session.isFinished)
    }

    @Test func outputOverTheLimitClosesTheConnection() {
        var session = session()
        session.reply([UInt8](repeating: 1, count: 99), isLast: false, at: 0)
        #expect(!session.isFinished)
        session.reply([], isLast: false, at: 0)
        #expect(session.isFinished)
    }

    @Test func idleAndStalledClientsAreOverdue() {
        // A request that is being performed has no time limit.
        var session = session()
        #expect(!session.isOverdue(at: 60 * Self.second))
        #expect(session.isOverdue(at: 60 * Self.second + 1))
        session.receive(Array("a\0".utf8))
        _ = session.beginNextRequest(at: 60 * Self.second)
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
