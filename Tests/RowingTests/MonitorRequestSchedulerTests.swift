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

        mutating func lend() -> Bool { conversation.tryLend(at: now) }

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

    // MARK: - A phone behind a relay

    @Test func lendsTheChannelOnlyBetweenRequests() {
        var bench = Bench()
        bench.conversation.enqueue(.battery)
        bench.pass(5)
        #expect(bench.lastWrite == Self.askBattery && bench.conversation.awaitsReply)
        var isLent = bench.lend()
        #expect(!isLent)
        bench.answer([], .reject)
        #expect(!bench.conversation.awaitsReply)
        isLent = bench.lend()
        #expect(!isLent, "50 ms lie between two frames")
        bench.pass(50)
        isLent = bench.lend()
        #expect(isLent)
    }

    @Test func sendsNothingWhileTheChannelIsLent() throws {
        var bench = Bench(pollsForce: true)
        let isLent = bench.lend()
        #expect(isLent)
        bench.conversation.enqueue(.battery)
        try bench.terminate()
        bench.status(.workoutRow, .driving)
        bench.pass(1000)
        #expect(bench.writes.isEmpty)
        bench.conversation.endLoan(at: bench.now)
        bench.status()
        #expect(bench.writes.isEmpty, "50 ms lie between two frames")
        bench.pass(50)
        bench.status()
        #expect(bench.writes.count == 1 && bench.lastWrite == Self.terminate)
    }

    @Test func phoneAndPollingTakeTurns() {
        // A phone that always has a request waiting, and a drive without end.
        var bench = Bench(pollsForce: true)
        bench.status(.workoutRow, .driving)
        var loans = 0
        for _ in 0..<40 {
            if bench.conversation.awaitsReply { bench.answerForce(Array(repeating: 9, count: 16)) }
            if bench.lend() {
                loans += 1
                bench.pass(75)
                bench.conversation.endLoan(at: bench.now)
            }
            bench.pass(25)
        }
        #expect(loans >= 5)
        #expect(bench.writes.count >= 5)
        #expect(abs(loans - bench.writes.count) <= 2)
    }

    @Test func keepsTheChannelForAWholeProcedure() throws {
        var bench = Bench()
        try bench.terminate()
        bench.status()
        #expect(bench.lastWrite == Self.terminate)
        bench.answerTermination()
        bench.pass(60)
        let isLent = bench.lend()
        #expect(!isLent && bench.conversation.awaitsReply)
        bench.conversation.endLoan(at: bench.now)
        bench.pass(300)
        #expect(bench.writes.count == 2, "the poll of the screen")
    }
}
