import Bytes
import TestSupport
import Testing

@testable import Contract
@testable import DeliveryProof

/// Compares received with expected records.
@Suite struct DeliveryLedgerTests {
    private var traffic = Traffic()
    private static let strokes = Traffic.stream(.stroke)

    private func verdict(
        _ messages: [Traffic.Message], fromStart: Bool = false
    ) -> DeliveryVerdict {
        var ledger = DeliveryLedger(
            expectsFromStart: fromStart)
        for message in messages { ledger.apply(topic: message.topic, payload: message.payload) }
        return ledger.verdict()
    }

    private func missing(_ verdict: DeliveryVerdict, _ stream: StreamID) -> [ClosedRange<UInt64>] {
        verdict.streams.first { $0.stream == stream }?.missing.map(\.sequences) ?? []
    }

    @Test mutating func completeWithReplaysAndForeignMessages() {
        let session = traffic.session("S1", strokes: 20)
        var messages = session + [traffic.marks(), traffic.birth()]
        messages += session[5..<15].map(\.replayed)
        messages.append(.init(topic: "rowgate/v1/boathouse/erg/erg-1/live", payload: [1]))
        messages.append(.init(topic: "zigbee2mqtt/lamp", payload: []))
        let verdict = verdict(messages)
        #expect(verdict.isComplete && !verdict.isEmpty)
        #expect(verdict.expectedCount == 43 && verdict.missingCount == 0)
        #expect(verdict.sessions.map(\.proof) == [.proven])
        #expect(verdict.streams.reduce(0) { $0 + $1.repeats } == 10)
    }

    @Test mutating func reportsEachLostRecordUntilItsReplay() {
        let session = traffic.session("S1", strokes: 6)
        let end = [traffic.marks()]
        for (index, lost) in session.enumerated() {
            var rest = session
            rest.remove(at: index)
            let broken = verdict(rest + end, fromStart: true)
            #expect(!broken.isComplete, "message \(index)")
            #expect(broken.missingCount == 1)
            #expect(broken.replayable.map(\.request.stream) == [lost.stream])
            #expect(
                broken.replayable.map(\.request.sequences) == [lost.sequence...lost.sequence])
            #expect(verdict(rest + end + [lost.replayed], fromStart: true).isComplete)
        }
    }

    @Test mutating func marksOrBirthRevealALossAtTheEnd() {
        let session = traffic.session("S1", strokes: 10).filter { $0.stream?.kind != .manifest }
        let received = session.filter { $0.stream != Self.strokes || $0.sequence <= 7 }
        #expect(verdict(received).isComplete)
        #expect(missing(verdict(received + [traffic.marks()]), Self.strokes) == [8...10])
        #expect(missing(verdict(received + [traffic.birth()]), Self.strokes) == [8...10])
    }

    @Test mutating func healthRevealsLostGatewayEvents() {
        let events = (1...4).map { _ in traffic.event() }
        let health = Traffic.Message(
            topic: "rowgate/v1/boathouse/health", payload: Array(#"{"event_last_seq":4}"#.utf8))
        #expect(verdict(events + [health]).isComplete)
        let broken = verdict(events.dropLast(2) + [health])
        #expect(missing(broken, Traffic.stream(.gatewayEvent, of: nil)) == [3...4])
    }

    @Test mutating func healthRevealsLostRoomAndCrewRollups() {
        let minutes = traffic.minutes(ofCrews: 1) + traffic.minutes(ofCrews: 2)
        func health(_ room: Int, _ crews: Int) -> Traffic.Message {
            let fields = #"{"room_rollup_last_seq":\#(room),"crew_rollup_last_seq":\#(crews)}"#
            return Traffic.Message(
                topic: "rowgate/v1/boathouse/health", payload: Array(fields.utf8))
        }
        #expect(verdict(minutes + [health(2, 3)]).isComplete)
        let broken = verdict(minutes + [health(3, 4)])
        #expect(missing(broken, Traffic.stream(.roomRollup, of: nil)) == [3...3])
        #expect(missing(broken, Traffic.stream(.crewRollup, of: nil)) == [4...4])
    }

    @Test mutating func marksRevealLostAlertsAndRollups() {
        let rollups = traffic.marks(of: Traffic.erg, [.rollup: 2, .alert: 1])
        let event = traffic.event()
        let broken = verdict([event, rollups, rollups])
        #expect(missing(broken, Traffic.stream(.rollup)) == [])
        let later = traffic.marks(of: Traffic.erg, [.rollup: 4, .alert: 2])
        let lost = verdict([event, rollups, rollups, later])
        #expect(missing(lost, Traffic.stream(.rollup)) == [3...4])
        #expect(missing(lost, Traffic.stream(.alert)) == [2...2])
    }

    @Test mutating func healthAppliesToTheCurrentEpoch() {
        // A late record of the first epoch precedes the health of the second.
        let old = traffic.event()
        traffic.epoch = "01J0EP0CH000000000000000BB"
        let birth = traffic.birth()
        let events = (0..<3).map { _ in traffic.event() }
        let health = Traffic.Message(
            topic: "rowgate/v1/boathouse/health", payload: Array(#"{"event_last_seq":4}"#.utf8))
        #expect(verdict([birth] + events + [old.replayed, health]).isComplete)
    }

    @Test mutating func lateListenerExpectsOnlyLaterRecordsUnlessAManifestCoversMore() {
        let all = traffic.session("S1", strokes: 30)
        let late = Array(all[21...])
        let withoutManifest = late.filter { $0.stream?.kind != .manifest }
        #expect(verdict([traffic.marks()] + withoutManifest).isComplete)
        let broken = verdict(late)
        #expect(missing(broken, Self.strokes) == [1...10])
        #expect(broken.sessions.map(\.proof) == [.strokesMissing(10)])
        #expect(missing(verdict(withoutManifest, fromStart: true), Self.strokes) == [1...10])
    }

    @Test mutating func marksRevealAStreamThatNeverArrived() {
        // The first marks may be from before the subscription, so they prove nothing alone.
        let start = traffic.marks([.stroke: 100])
        let later = traffic.marks([.stroke: 107])
        let end = traffic.marks([.stroke: 120])
        #expect(verdict([start]).isEmpty)
        #expect(verdict([start, later]).isEmpty)
        #expect(missing(verdict([start, later, end]), Self.strokes) == [108...120])
    }

    @Test mutating func aForeignReplayOfOldRecordsDoesNotExtendTheExpectedRange() {
        let old = traffic.session("S1", strokes: 3).filter { $0.stream?.kind == .stroke }
        traffic.skip(50, of: Self.strokes)
        let new = traffic.session("S2", strokes: 3).filter { $0.stream?.kind == .stroke }
        #expect(verdict(new + old.map(\.replayed)).isComplete)
    }

    @Test mutating func splitsMissingRangesByDeclaredReason() {
        // Declarations overlap, and one number has none.
        let first = traffic.session("S1", strokes: 5).filter { $0.stream?.kind == .stroke }
        traffic.skip(20, of: Self.strokes)
        let second = traffic.session("S2", strokes: 5).filter { $0.stream?.kind == .stroke }
        let full = traffic.dropped(Self.strokes, 1...12, reason: "overwritten")
        let older = traffic.dropped(Self.strokes, 10...14, reason: nil)
        let cut = traffic.dropped(Self.strokes, 15...24, reason: "not_durable")
        let broken = verdict(first + second + [full, older, cut])
        #expect(
            broken.streams.first { $0.stream == Self.strokes }?.missing == [
                .init(sequences: 6...12, declared: .overwritten),
                .init(sequences: 13...14, declared: .overwritten),
                .init(sequences: 15...24, declared: .notDurable),
                .init(sequences: 25...25, declared: nil),
            ])
        #expect(!broken.isComplete && broken.missingCount == 10)
        #expect(broken.replayable.map(\.request.sequences) == [25...25])
        let whole = traffic.dropped(Self.strokes, 6...25, reason: "not_durable")
        #expect(verdict(first + second + [whole]).isComplete)
    }

    @Test mutating func reportsANumberWithTwoContents() {
        let session = traffic.session("S1", strokes: 4)
        var copy = session[1].replayed
        copy.payload = Array(
            String(decoding: copy.payload, as: UTF8.self)
                .replacing(#""stroke":1"#, with: #""stroke":9"#).utf8)
        let broken = verdict(session + [copy])
        #expect(!broken.isComplete)
        #expect(broken.streams.first { $0.stream == Self.strokes }?.altered == [1...1])
    }

    @Test mutating func reportsSessionsThatDoNotMatchTheirManifest() {
        let digest = String(repeating: "0", count: 64)
        let wrong = traffic.session("S1", strokes: 4, alteredDigest: digest)
        #expect(verdict(wrong).sessions.map(\.proof) == [.digestDiffers])
        var right = traffic.session("S2", strokes: 4)
        right[2].payload = Array(
            String(decoding: right[2].payload, as: UTF8.self)
                .replacing(#""session_id":"S2""#, with: #""session_id":"S1""#).utf8)
        let broken = verdict(right)
        #expect(broken.sessions.map(\.proof) == [.countDiffers(.force, received: 3, of: 4)])
        #expect(!broken.isComplete && broken.missingCount == 0)
    }

    @Test mutating func surplusRecordsOfOtherKindsLeaveASessionProven() {
        let first = traffic.session("S1", strokes: 4)
        var second = traffic.session("S2", strokes: 4)
        second[2].payload = Array(
            String(decoding: second[2].payload, as: UTF8.self)
                .replacing(#""session_id":"S2""#, with: #""session_id":"S1""#).utf8)
        let proofs = verdict(first + second).sessions.map(\.proof)
        #expect(proofs == [.proven, .countDiffers(.force, received: 3, of: 4)])
    }

    @Test mutating func aSessionWithAMissedEndNeedsItsGapRecord() {
        var session = traffic.session("S1", strokes: 4, missesItsEnd: true)
        #expect(verdict(session).isComplete)
        #expect(verdict(session).sessions.map(\.proof) == [.proven])
        session.removeAll { $0.topic.hasSuffix("/gap") }
        let broken = verdict(session)
        #expect(!broken.isComplete)
        #expect(broken.sessions.map(\.proof) == [.countDiffers(.gap, received: 0, of: 1)])
    }

    @Test mutating func separatesNumbersByGatewayAndEpoch() {
        var other = Traffic(gateway: "annex")
        var renewed = Traffic(epoch: "01J9EP0CH000000000000000BB")
        let loss = renewed.session("S3", strokes: 5).filter { $0.sequence != 3 }
        let verdict = verdict(
            traffic.session("S1", strokes: 5) + other.session("S2", strokes: 5) + loss)
        #expect(Set(verdict.streams.map { "\($0.gateway)\($0.epoch)" }).count == 3)
        #expect(verdict.lost.allSatisfy { $0.stream.epoch == renewed.epoch })
        #expect(verdict.lost.map(\.stream.stream.kind) == [.stroke, .force])
        #expect(verdict.sessions.map(\.proof) == [.proven, .proven, .strokesMissing(1)])
    }

    @Test mutating func aSessionOverTwoEpochs() {
        // The second half of the session has numbers of a new epoch, as after a disk failure.
        let (before, after) = traffic.sessionOverEpochs(
            "S1", strokes: 12, newEpoch: "01J9EP0CH000000000000000BB", skipping: 5)
        for messages in [before + after, after + before] {
            let verdict = verdict(messages)
            #expect(verdict.sessions.map(\.proof) == [.proven])
            #expect(verdict.isComplete && verdict.missingCount == 0)
        }
        let strokes = before.indices.filter { before[$0].stream == Self.strokes }
        var rest = before
        rest.remove(at: strokes[2])
        let broken = verdict(rest + after)
        #expect(broken.sessions.map(\.proof) == [.strokesMissing(1)] && !broken.isComplete)
    }

    @Test(arguments: [
        "", "{}", "nothing", #"{"epoch":"E","seq":1,"historical":true}"#,
        #"{"kind":"stroke","erg":"erg-2","epoch":"E","seq":1,"historical":true}"#,
        #"{"kind":"stroke","erg":"erg-1","epoch":"E","seq":0,"historical":true}"#,
        #"{"kind":"stroke","erg":"erg-1","epoch":"E","seq":1.5,"historical":true}"#,
        #"{"historical":true,"kind":"stroke","erg":"erg-1","epoch":"E","seq":1}"#,
    ])
    func countsInvalidRecordsAsDefects(payload: String) {
        let verdict = verdict([
            .init(topic: "rowgate/v1/boathouse/erg/erg-1/stroke", payload: Array(payload.utf8))
        ])
        #expect(verdict.defectCount == 1 && !verdict.isComplete)
    }

    @Test mutating func survivesHugeNumbers() {
        // 2^53 - 1 is the largest valid number.
        let absurd = traffic.session("S1", strokes: 2).map { message in
            var message = message
            message.payload = Array(
                String(decoding: message.payload, as: UTF8.self)
                    .replacing(
                        #""stroke_last_seq":2"#, with: #""stroke_last_seq":9007199254740991"#
                    )
                    .replacing(#""stroke_count":2"#, with: #""stroke_count":9007199254740991"#)
                    .utf8)
            return message
        }
        let marks = (1...3).map { _ in traffic.marks([.split: .max, .force: 1 << 53 - 1]) }
        let verdict = verdict(absurd + marks)
        #expect(verdict.sessions.map(\.proof) == [.strokesMissing(9_007_199_254_740_989)])
        #expect(missing(verdict, Traffic.stream(.split)).isEmpty)
    }

    @Test mutating func foreignStrokesAreNoPartOfASession() {
        let session = traffic.session("S1", strokes: 6)
        var foreign = session[1]
        foreign.sequence = 500
        foreign.payload = Array(
            String(decoding: foreign.payload, as: UTF8.self)
                .replacing("\"seq\":1,", with: "\"seq\":500,").utf8)
        for messages in [session + [foreign], [foreign] + session] {
            #expect(verdict(messages).sessions.map(\.proof) == [.proven])
        }
    }
}
