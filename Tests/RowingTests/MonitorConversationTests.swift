import Testing

@testable import PM5Codec
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

    @Test func nothingIsWantedButTheResultOfAWorkout() throws {
        // Goal: without polling, values are of interest during a procedure alone. Method: a terminate
        // that is answered, and what it leaves behind.
        var bench = Bench()
        #expect(bench.conversation.isIdle && bench.conversation.nextTick == nil)
        try bench.terminate()
        #expect(!bench.conversation.isIdle && bench.conversation.hasWorkout)
        bench.status()
        #expect(bench.lastWrite == Self.terminate)
        bench.answerTermination()
        bench.pass(300)
        // The question whether the screen obeyed is rejected, so the status decides.
        bench.answer([], .reject)
        bench.status()
        #expect(bench.results.count == 1)
        #expect(bench.conversation.isIdle && bench.conversation.nextTick == nil)
    }

    private static let askBattery: [UInt8] = [0x7E, 0x01, 0x97]

    @Test func theBatteryIsAskedForBetweenTheOthers() throws {
        // Goal: the level is asked for when no poll waits for its answer, a workout waits for it, and
        // an answer that does not come is waited for no longer than others. Method: the question
        // in a drive, with a terminate behind it; then once more without an answer.
        var bench = Bench(pollsForce: true)
        bench.status(.workoutRow, .driving)
        bench.conversation.ask(.battery)
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
        mute.conversation.ask(.battery)
        mute.pass(5)
        #expect(mute.lastWrite == Self.askBattery && !mute.conversation.isIdle)
        mute.pass(2100)
        #expect(mute.conversation.isIdle && mute.batteryPercents == [])
    }

    @Test func aWorkoutSpeaksBetweenPolls() throws {
        // Goal: a procedure waits for the answer to the poll under way, then speaks until it has its
        // result; polling goes on behind it, and all frames keep their distance. Method: a drive
        // with a terminate in it, and the next drive.
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
