import PM5Codec

/// The monitor's end of 0x0021 and 0x0022: frames in, frames out, and what they have set.
struct ControlPort: Sendable {
    var parser = FrameParser()
    /// Alternates with every frame that arrived whole.
    var toggle = false
    /// Where the public state machine is while nothing is rowed.
    var publicState = CSAFEState.ready
    var draft = ProgramDraft()
    /// A workout of the public commands, which only GOINUSE puts on the screen.
    var publicDraft: WorkoutGoal?
    var isPublicDraftChecked = false
    /// Screen commands that the display task has not obeyed yet.
    var screens: [ScreenValue] = []
    var lastScreen = ScreenValue.none
    /// The link was made while a piece was being rowed: to the host it is the monitor's own.
    var joinedRunningPiece = false
    /// Answers leave one after the other.
    var nextAnswer = 0
    /// The answer to the frame under way has left by then, and the gap behind it is over.
    var busyUntil = 0
    /// What 0x0031 shows in its next packets in place of what was armed: it lags behind.
    var lag: [(type: WorkoutType, duration: UInt32, unit: DurationType)] = []
    var answers = 0
    /// The last drive that came to its end; its samples stay until the next one begins.
    var finishedDrive: Stroke?
    /// Force samples that were handed out of the drive that began at `catchMilliseconds`.
    var handedOut = (catchMilliseconds: -1, samples: 0)
}

extension SimulatedErg {
    /// Bytes written to 0x0021, cut wherever.
    mutating func receiveControl(_ bytes: [UInt8]) {
        for event in control.parser.consume(bytes) {
            switch event {
            case .frame where now < control.busyUntil:
                // One request at a time, and 50 ms between frames.
                sendAnswer(Response(status: status(.notReady)).frame(), after: 75)
            case .frame(let frame) where frame.encodedLength <= Frame.maximumLength:
                answer(frame)
            case .frame, .fault: sendAnswer(Response(status: status(.bad)).frame(), after: 75)
            }
        }
    }

    /// Runs the commands of a frame in order; one status speaks for all of them.
    private mutating func answer(_ frame: Frame) {
        guard let commands = try? Command.parse(frame.contents) else {
            // A count that points past the end: what the frame means cannot be known.
            return sendAnswer(Response(status: status(.bad)).frame(), after: 75)
        }
        control.toggle.toggle()
        var replies: [Reply] = []
        var isRefused = false
        for command in commands {
            switch carryOut(command) {
            case .done(let reply): if let reply { replies.append(reply) }
            case .refused: isRefused = true
            }
        }
        // Some monitors leave GOIDLE without an answer.
        if commands == [.goIdle], generator.integer(0...3) == 0 { return }
        let response =
            isRefused
            ? Response(status: status(.reject))
            : Response(status: status(.ok), replies: replies)
        sendAnswer(
            response.frame(addresses: frame.addresses?.swapped), after: latency(of: commands))
    }

    /// What became of a command.
    enum Outcome: Equatable {
        case done(Reply?)
        case refused
    }

    private func status(_ previous: StatusByte.PreviousFrame) -> StatusByte {
        StatusByte(toggle: control.toggle, previousFrame: previous, state: publicState)
    }

    /// What the host sees of the public state machine.
    var publicState: CSAFEState {
        if let piece, !piece.isOver {
            // The public state machine calls six seconds without a stroke a pause.
            if let pause = piece.pause, now >= pause.since + 6000, isProgrammed { return .pause }
            return isProgrammed && !control.joinedRunningPiece ? .inUse : .offline
        }
        if state == .workoutEnd || state == .workoutLogged { return .finished }
        return control.publicState
    }

    // MARK: - Answers

    /// Median 75 ms, about half a second for a program; the first of a connection is slow.
    private mutating func latency(of commands: [Command]) -> Int {
        if control.answers == 0 { return 1280 }
        for case .wrapped(.setConfiguration, let inner) in commands {
            return inner.count > 1 ? 500 : 400
        }
        return generator.integer(72...88)
    }

    /// Between two frames at least, in milliseconds.
    private static let frameGap = 50

    /// In pieces of 20 bytes, ten milliseconds apart, now and then with the noise that real
    /// monitors make: a lone zero byte, or the same frame a second time.
    private mutating func sendAnswer(_ frame: Frame, after delay: Int) {
        control.answers += 1
        var time = max(now, control.nextAnswer) + delay
        control.busyUntil = time + 10 * (frame.pieces.count - 1) + Self.frameGap
        let copies = generator.integer(0...31) == 0 ? 2 : 1
        for _ in 0..<copies {
            for piece in frame.pieces {
                agenda.add(.controlAnswer(Array(piece)), at: time)
                time += 10
            }
        }
        if generator.integer(0...15) == 0 { agenda.add(.controlAnswer([0]), at: time) }
        control.nextAnswer = time
    }

    mutating func sendControl(_ bytes: [UInt8]) {
        guard subscriptions.contains(.csafeOut) else { return }
        output.append(.notification(characteristic: .csafeOut, bytes: bytes))
    }
}
