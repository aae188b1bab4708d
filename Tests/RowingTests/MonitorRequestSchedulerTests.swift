import Testing

@testable import PM5Codec
@testable import Rowing
@testable import Timeline

@Suite struct MonitorRequestSchedulerTests {
    /// The monitor's side, in steps of 5 ms.
    private struct Bench {
        var conversation: MonitorRequestScheduler
        var actions: [MonitorRequestScheduler.Action] = []
        var milliseconds = 1000
        /// When each frame was written.
        var writes: [Int] = []
        private var toggle = false

        init(pollsForce: Bool = false) {
            conversation = MonitorRequestScheduler(pollsForce: pollsForce)
        }

        var now: BootInstant { BootInstant(nanoseconds: UInt64(milliseconds) * 1_000_000) }
        /// The contents of the last written frame.
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
        var results: [Result<Workout, WorkoutProcedure.Failure>] {
            actions.compactMap { if case .workout(let it) = $0 { it } else { nil } }
        }

        var batteryPercents: [Int] {
            actions.compactMap { action in
                if case .answer(.battery(let percent)) = action { percent } else { nil }
            }
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

    private static let terminate: [UInt8] = [0x76, 0x04, 0x13, 0x02, 0x01, 0x02]
    private static let askForce: [UInt8] = [0x1A, 0x03, 0x6B, 0x01, 0x20]

    @Test func isIdleWithoutPollingExceptDuringProcedure() throws {
        // A terminate with an answer.
        var bench = Bench()
        #expect(bench.conversation.isIdle && bench.conversation.nextTick == nil)
        try bench.terminate()
        #expect(!bench.conversation.isIdle && bench.conversation.hasWorkout)
        bench.status()
        #expect(bench.lastWrite == Self.terminate)
        bench.answerTermination()
        bench.pass(300)
        // The poll of the screen state is rejected, so the status decides.
        bench.answer([], .reject)
        bench.status()
        #expect(bench.results.count == 1)
        #expect(bench.conversation.isIdle && bench.conversation.nextTick == nil)
    }

    private static let askBattery: [UInt8] = [0x7E, 0x01, 0x97]

    @Test func sendsQuestionBetweenOtherRequests() throws {
        // A question during a drive, then a terminate; then a question without an answer.
        var bench = Bench(pollsForce: true)
        bench.status(.workoutRow, .driving)
        bench.conversation.enqueue(.battery)
        bench.pass(5)
        #expect(bench.lastWrite == Self.askForce)
        bench.answerForce([1, 2])
        bench.pass(50)
        #expect(bench.lastWrite == Self.askBattery)
        try bench.terminate()
        bench.pass(50)
        #expect(bench.lastWrite == Self.askBattery)
        bench.answer([
            Reply(
                .getConfiguration,
                [Reply(answering: .batteryLevelPercent, 9, in: .getConfiguration)])
        ])
        #expect(bench.batteryPercents == [9])
        bench.pass(60)
        bench.status(.workoutRow, .driving)
        #expect(bench.lastWrite == Self.terminate)
        var mute = Bench()
        mute.conversation.enqueue(.battery)
        mute.pass(5)
        #expect(mute.lastWrite == Self.askBattery && !mute.conversation.isIdle)
        mute.pass(2100)
        #expect(mute.conversation.isIdle && mute.batteryPercents == [])
    }

    @Test func runsProcedureBetweenPolls() throws {
        // A drive with a terminate in it, and the next drive. All frames keep their minimum distance.
        var bench = Bench(pollsForce: true)
        bench.status(.workoutRow, .driving)
        #expect(bench.lastWrite == Self.askForce)
        try bench.terminate()
        bench.pass(75)
        #expect(bench.writes.count == 1, "the poll has not been answered")
        bench.answerForce([1, 2])
        bench.pass(50)
        bench.status(.workoutRow, .driving)
        #expect(bench.lastWrite == Self.terminate && bench.writes.count == 2)
        bench.pass(100)
        bench.answerTermination()
        #expect(bench.actions.last == .terminated)
        bench.pass(300)
        #expect(bench.writes.count == 3, "whether the screen obeyed, and no poll")
        bench.answer([], .reject)
        bench.status()
        #expect(bench.results.count == 1)
        bench.status(.workoutRow, .driving)
        bench.pass(60)
        #expect(bench.lastWrite == Self.askForce && bench.writes.count == 4)
        #expect(zip(bench.writes, bench.writes.dropFirst()).allSatisfy { $1 - $0 >= 50 })
    }

    @Test func startsProcedureAfterUnansweredPollTimesOut() throws {
        // A drive whose poll is not answered, then a terminate.
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
