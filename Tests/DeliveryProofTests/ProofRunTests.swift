import Bytes
import TestSupport
import Testing
import Timeline

@testable import Contract
@testable import DeliveryProof

/// Ends and replay requests of a run, with stepped time.
@Suite struct ProofRunTests {
    private let start = BootInstant(nanoseconds: 5_000_000_000)
    private var traffic = Traffic()

    private func run(
        _ end: ProofRun.End, requestsReplays: Bool = false, fromStart: Bool = false
    ) -> ProofRun {
        ProofRun(
            until: end, requestsReplays: requestsReplays,
            ledger: DeliveryLedger(
                expectsFromStart: fromStart),
            token: "t", at: start)
    }

    private func at(_ seconds: Double) -> BootInstant {
        start.advanced(by: .milliseconds(Int(seconds * 1000)))
    }

    private func feed(
        _ run: inout ProofRun, _ messages: some Sequence<Traffic.Message>, at seconds: Double
    ) {
        for message in messages {
            run.receive(topic: message.topic, payload: message.payload, at: at(seconds))
        }
    }

    private func reply(_ id: Int, status: String = "ok") -> Traffic.Message {
        let payload = #"{"request_id":"prove-t-\#(id)","status":"\#(status)","message":"why"}"#
        return .init(topic: "rowgate/v1/boathouse/rsp/replay", payload: Array(payload.utf8))
    }

    @Test mutating func endsAtOnceWhenComplete() {
        let session = traffic.session("S1", strokes: 3)
        var timed = run(.after(.seconds(10)))
        feed(&timed, session, at: 1)
        _ = timed.step(at: at(9.9))
        #expect(!timed.isDone)
        _ = timed.step(at: at(10))
        #expect(timed.isDone)

        var one = run(.manifest)
        feed(&one, session.dropLast(), at: 1)
        _ = one.step(at: at(500))
        #expect(!one.isDone)
        feed(&one, session.suffix(1), at: 501)
        _ = one.step(at: at(501))
        #expect(one.isDone && one.verdict().isComplete)

        var endless = run(.interruption)
        feed(&endless, session, at: 1)
        _ = endless.step(at: at(1e6))
        #expect(!endless.isDone)
        endless.interrupt(at: at(1e6))
        _ = endless.step(at: at(1e6))
        #expect(endless.isDone)
    }

    @Test mutating func waitsBrieflyForLateRecords() {
        let session = traffic.session("S1", strokes: 3)
        let stragglers = session.filter { $0.stream?.kind == .stroke }
        var patient = run(.manifest)
        feed(&patient, session.filter { $0.stream?.kind != .stroke }, at: 1)
        _ = patient.step(at: at(2.5))
        feed(&patient, stragglers.prefix(1), at: 2.9)
        _ = patient.step(at: at(4.5))
        #expect(!patient.isDone)
        feed(&patient, stragglers.dropFirst(), at: 4.6)
        _ = patient.step(at: at(4.6))
        #expect(patient.isDone && patient.verdict().isComplete)

        var broken = run(.manifest)
        feed(&broken, session.dropFirst(2), at: 1)
        _ = broken.step(at: at(3))
        #expect(broken.isDone && !broken.verdict().isComplete)
        #expect(broken.requestCount == 0)
    }

    @Test mutating func sendsOneRequestPerStream() throws {
        // One stream has two gaps, another has one.
        let session = traffic.session("S1", strokes: 20)
        let lost = session.filter {
            $0.stream?.kind == .stroke && [3, 4, 9].contains($0.sequence)
                || $0.stream?.kind == .force && $0.sequence == 7
        }
        let received = session.filter { message in
            !lost.contains { $0.stream == message.stream && $0.sequence == message.sequence }
        }
        var run = run(.manifest, requestsReplays: true)
        feed(&run, received, at: 1)
        let requests = run.step(at: at(1))
        #expect(
            requests.map(\.topic) == Array(repeating: "rowgate/v1/boathouse/cmd/replay", count: 2))
        #expect(
            requests.map { String(decoding: $0.payload, as: UTF8.self) } == [
                #"{"request_id":"prove-t-1","erg":"erg-1","kind":"stroke","from_seq":3,"to_seq":9}"#,
                #"{"request_id":"prove-t-2","erg":"erg-1","kind":"force","from_seq":7,"to_seq":7}"#,
            ])
        #expect(run.step(at: at(3.2)).isEmpty)
        feed(&run, lost.map(\.replayed), at: 8)
        _ = run.step(at: at(8))
        #expect(run.isDone && run.verdict().isComplete)
        #expect(run.requestCount == 2)
    }

    @Test mutating func aRefusalOrATimeoutEndsTheWait() {
        let session = traffic.session("S1", strokes: 3)
        var refused = run(.manifest, requestsReplays: true)
        feed(&refused, session.dropFirst(2), at: 1)
        #expect(refused.step(at: at(3.1)).count == 1)
        feed(&refused, [reply(9), reply(1, status: "accepted")], at: 4)
        _ = refused.step(at: at(7))
        #expect(!refused.isDone)
        feed(&refused, [reply(1, status: "error")], at: 8)
        _ = refused.step(at: at(10.1))
        #expect(refused.isDone && refused.refusals == ["why"])

        var silent = run(.manifest, requestsReplays: true)
        feed(&silent, session.dropFirst(2), at: 1)
        _ = silent.step(at: at(3.1))
        _ = silent.step(at: at(18))
        #expect(!silent.isDone)
        _ = silent.step(at: at(18.2))
        #expect(silent.isDone)
    }

    @Test mutating func limitsUnansweredRequests() throws {
        // Twelve ergs have one gap each.
        var run = run(.interruption, requestsReplays: true)
        for number in 1...12 {
            let erg = try #require(StationID("erg-\(number)"))
            let session = traffic.session("S\(number)", strokes: 3, of: erg)
            feed(&run, session.filter { $0.stream?.kind == .stroke && $0.sequence != 2 }, at: 1)
        }
        run.interrupt(at: at(2))
        #expect(run.step(at: at(4.1)).count == ProofRun.window)
        #expect(run.step(at: at(4.2)).isEmpty)
        feed(&run, (1...3).map { reply($0) }, at: 5)
        #expect(run.step(at: at(5)).count == 3)
        feed(&run, (4...11).map { reply($0) }, at: 6)
        #expect(run.step(at: at(6)).count == 1)
        run.interrupt(at: at(6))
        #expect(run.isDone, "a second interrupt ends the wait")
    }

    /// Feeds records of eight ergs without a pause, and loses three strokes of one erg. After 11 s it feeds
    /// `answer` of the lost messages. Returns the times of requests and of the end, in seconds.
    private mutating func feedWithoutPause(
        _ run: inout ProofRun, answer: ([Traffic.Message]) -> [Traffic.Message]
    ) -> (requested: [Double], done: Double?) {
        var lost: [Traffic.Message] = []
        var requested: [Double] = []
        for tenth in 0..<300 {
            let now = Double(tenth) / 10
            let erg = StationID("erg-\(tenth % 8 + 1)")!
            for message in traffic.session("S\(tenth)", strokes: 8, of: erg) {
                if message.stream?.kind == .stroke, tenth == 16, 19...21 ~= message.sequence {
                    lost.append(message)
                } else {
                    feed(&run, [message], at: now)
                }
            }
            feed(&run, [traffic.marks(of: erg)], at: now)
            if tenth == 110 { feed(&run, answer(lost), at: now) }
            requested += run.step(at: at(now)).map { _ in now }
            if run.isDone { return (requested, now) }
        }
        return (requested, nil)
    }

    @Test mutating func finishesWhileRowingContinues() {
        var run = run(.after(.seconds(10)), requestsReplays: true, fromStart: true)
        let (requested, done) = feedWithoutPause(&run) { [self] in $0.map(\.replayed) + [reply(1)] }
        #expect(requested == [10])
        #expect(done == 11)
        let verdict = run.verdict()
        #expect(verdict.isComplete)
        #expect(verdict.sessions.count == 101, "the verdict excludes later sessions")
        #expect(verdict.streams.allSatisfy { $0.expected.map { $0.length } == $0.received })
    }

    @Test mutating func reportsMissingRecordsWhileRowingContinues() {
        // First the gateway refuses the replay; then a run requests none.
        var refused = run(.after(.seconds(10)), requestsReplays: true, fromStart: true)
        let refusal = feedWithoutPause(&refused) { [self] _ in [reply(1, status: "error")] }
        #expect(refusal.requested == [10] && refusal.done == 13)
        #expect(refused.verdict().missingCount == 3)

        traffic = Traffic()
        var mute = run(.after(.seconds(10)), fromStart: true)
        let silence = feedWithoutPause(&mute) { _ in [] }
        #expect(silence.requested.isEmpty && silence.done == 12)
        #expect(mute.verdict().missingCount == 3)
    }
}
