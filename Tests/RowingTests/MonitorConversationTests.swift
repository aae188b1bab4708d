import PM5Codec
import Testing

@testable import Rowing
@testable import Timeline

/// Who may speak with a monitor, and when.
@Suite struct MonitorConversationTests {
    /// A monitor's side of the conversation, in steps of 5 ms.
    private struct Bench {
        var conversation: MonitorConversation
        var actions: [MonitorConversation.Action] = []
        var milliseconds = 1000
        /// When each frame was written.
        var writes: [Int] = []
        private var toggle = false

        init(pollsForce: Bool = false) {
            conversation = MonitorConversation(pollsForce: pollsForce)
        }

        var now: BootInstant { BootInstant(nanoseconds: UInt64(milliseconds) * 1_000_000) }
        /// The contents of the last frame that was written.
        var lastWrite: [UInt8]? {
            var parser = FrameParser()
            var contents: [UInt8]?
            for case .write(let pieces) in actions {
                for case .frame(let frame) in parser.consume(pieces.joined()) {
                    contents = frame.contents
                }
            }
            return contents
        }
        var answers: [Result<Response, MonitorConversation.Failure>] {
            actions.compactMap { if case .answer(_, let it) = $0 { it } else { nil } }
        }
        var results: [Result<Workout, WorkoutProcedure.Failure>] {
            actions.compactMap { if case .workout(let it) = $0 { it } else { nil } }
        }

        private mutating func note(_ act: (inout Bench) -> Void) {
            let before = actions.count
            act(&self)
            for case .write in actions[before...] { writes.append(milliseconds) }
        }

        mutating func receive(_ id: CharacteristicID, _ bytes: [UInt8]) {
            note { bench in
                let now = bench.now
                bytes.withUnsafeBytes {
                    bench.conversation.receive(id, $0, at: now, into: &bench.actions)
                }
            }
        }

        mutating func pass(_ time: Int) {
            for _ in 0..<time / 5 {
                milliseconds += 5
                note { $0.conversation.tick(at: $0.now, into: &$0.actions) }
            }
        }

        mutating func status(
            _ state: WorkoutState = .waitToBegin, _ stroke: StrokeState = .waitingForAcceleration
        ) {
            let packet = GeneralStatus(workoutState: state, strokeState: stroke)
            receive(.generalStatus, packet.notificationBytes(carrier: .dedicated))
        }

        mutating func answer(
            _ replies: [Reply], _ previous: StatusByte.PreviousFrame = .ok
        ) {
            toggle.toggle()
            let status = StatusByte(toggle: toggle, previousFrame: previous, state: .ready)
            receive(.csafeOut, Response(status: status, replies: replies).frame().bytes)
        }

        mutating func answerBattery(_ percent: UInt8) {
            answer([
                Reply(
                    .getConfiguration,
                    [Reply(answering: .batteryLevelPercent, percent, in: .getConfiguration)])
            ])
        }

        mutating func answerTermination() {
            answer([
                Reply(
                    .setConfiguration,
                    [.acknowledging(.screenState(.workout, .terminateWorkout))])
            ])
        }

        mutating func answerForce(_ samples: [UInt16]) {
            let block = Reply(
                answering: .forcePlot(byteCount: 32), SampleBlock(samples), in: .userConfiguration)
            answer([Reply(.userConfiguration, [block])])
        }

        mutating func terminate() throws {
            conversation.start(try WorkoutProcedure(.terminate, at: now))
            pass(5)
        }
    }

    private static let battery = Query<UInt8>.batteryLevelPercent
    private static let terminate: [UInt8] = [0x76, 0x04, 0x13, 0x02, 0x01, 0x02]
    private static let askBattery: [UInt8] = [0x7E, 0x01, 0x97]
    private static let askForce: [UInt8] = [0x1A, 0x03, 0x6B, 0x01, 0x20]

    @Test func aQuestionIsAskedOnceAndAnswered() throws {
        // Goal: one value, one frame each, also when the same answer comes twice. Method: the battery
        // level asked for twice, and what a monitor says by itself in between.
        var bench = Bench()
        #expect(bench.conversation.isIdle && bench.conversation.nextTick == nil)
        for count in 1...2 {
            #expect(bench.conversation.ask(Self.battery) != nil)
            bench.pass(100)
            #expect(bench.writes.count == count && bench.lastWrite == Self.askBattery)
            bench.status()
            bench.answerBattery(80)
            #expect(bench.answers.count == count)
            #expect(try bench.answers.last?.get().value(of: Self.battery) == 80)
        }
        #expect(bench.conversation.isIdle && bench.conversation.nextTick == nil)
    }

    @Test func silenceAndRejectionEndAQuestion() throws {
        // Goal: a question is given up after three silences, at once when it is rejected, and the
        // next one is asked. Method: no answer for six seconds, then a reject, then an answer.
        var bench = Bench()
        for _ in 0..<3 { _ = bench.conversation.ask(Self.battery) }
        bench.pass(5995)
        #expect(bench.writes.count == 3 && bench.answers.isEmpty)
        bench.pass(100)
        #expect(bench.answers == [.failure(.noAnswer)] && bench.writes.count == 4)
        bench.answer([], .reject)
        #expect(bench.answers == [.failure(.noAnswer), .failure(.rejected)])
        bench.pass(50)
        bench.answerBattery(7)
        #expect(try bench.answers.last?.get().value(of: Self.battery) == 7)
    }

    @Test func onlySoManyQuestionsWait() {
        // Goal: the queue has its limit. Method: one question more, then one answered.
        var bench = Bench()
        for _ in 0..<MonitorConversation.questionLimit {
            #expect(bench.conversation.ask(Self.battery) != nil)
        }
        #expect(bench.conversation.ask(Self.battery) == nil)
        bench.pass(5)
        bench.answerBattery(1)
        #expect(bench.conversation.ask(Self.battery) != nil)
    }

    @Test func aWorkoutGoesBeforeQuestions() throws {
        // Goal: a procedure has the word from its first frame to its last, and a question that is
        // under way is answered first. Method: a question, a terminate, another question.
        var bench = Bench()
        _ = bench.conversation.ask(Self.battery)
        bench.pass(5)
        try bench.terminate()
        _ = bench.conversation.ask(Self.battery)
        bench.status()
        bench.pass(500)
        #expect(bench.writes.count == 1, "one request at a time")
        bench.answerBattery(50)
        bench.pass(60)
        bench.status()
        #expect(bench.lastWrite == Self.terminate && bench.writes.count == 2)
        bench.pass(100)
        bench.answerTermination()
        #expect(bench.actions.last == .terminated)
        bench.pass(300)
        // The question whether the screen obeyed is rejected, so the status decides.
        bench.answer([], .reject)
        #expect(bench.answers.count == 1)
        bench.status()
        #expect(bench.results.count == 1)
        bench.pass(60)
        #expect(bench.lastWrite == Self.askBattery)
        bench.answerBattery(49)
        #expect(bench.answers.count == 2 && bench.conversation.isIdle)
    }

    @Test func forceCurvesWaitForQuestions() {
        // Goal: a question in the middle of a drive costs no sample and keeps its distance. Method:
        // a drive with a question in it, whose answer has the toggle that the poll's last one had
        // not.
        var bench = Bench(pollsForce: true)
        bench.status(.workoutRow, .driving)
        #expect(bench.lastWrite == Self.askForce)
        _ = bench.conversation.ask(Self.battery)
        bench.pass(75)
        #expect(bench.writes.count == 1, "the poll has not been answered")
        bench.answerForce([1, 2])
        bench.pass(50)
        #expect(bench.lastWrite == Self.askBattery && bench.writes.count == 2)
        bench.pass(75)
        bench.answerBattery(60)
        bench.pass(50)
        #expect(bench.lastWrite == Self.askForce && bench.writes.count == 3)
        bench.pass(5)
        bench.status(.workoutRow, .recovery)
        bench.pass(70)
        bench.answerForce([3])
        bench.pass(60)
        bench.answerForce([4])
        guard case .curve(let curve)? = bench.actions.last else {
            Issue.record("no curve: \(bench.actions)")
            return
        }
        #expect(curve.poundsForce == [1, 2, 3, 4] && curve.isComplete)
        #expect(zip(bench.writes, bench.writes.dropFirst()).allSatisfy { $1 - $0 >= 50 })
    }

    @Test func anUnansweredPollDelaysAWorkoutOnly() throws {
        // Goal: a procedure waits for the poll under way, two seconds at most, and nothing is polled
        // until it is over. Method: a drive whose poll is not answered, then a terminate.
        var bench = Bench(pollsForce: true)
        bench.status(.workoutRow, .driving)
        try bench.terminate()
        bench.pass(1900)
        #expect(bench.writes.count == 1)
        bench.pass(100)
        bench.status(.workoutRow, .driving)
        #expect(bench.lastWrite == Self.terminate && bench.writes.count == 2)
        bench.status(.workoutRow, .recovery)
        bench.status(.workoutRow, .driving)
        bench.pass(100)
        #expect(bench.writes.count == 2)
        bench.conversation.abandonWorkout()
        bench.status(.workoutRow, .recovery)
        bench.status(.workoutRow, .driving)
        bench.pass(60)
        #expect(bench.lastWrite == Self.askForce && bench.writes.count == 3)
    }
}
