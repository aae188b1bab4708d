import PM5Codec

/// Receives frames and answers each. Changes the state in `control`, and `output`.
extension SimulatedErg {
    /// Handles bytes written to 0x0021, divided anywhere.
    mutating func receiveControl(_ bytes: [UInt8]) {
        for parsed in control.parser.consume(bytes) {
            switch parsed {
            case .frame where now < control.busyUntil:
                // One request at a time, and 50 ms between frames.
                sendStatus(.notReady)
            case .frame(let frame) where frame.encodedLength <= Frame.maximumLength:
                answer(frame)
            case .frame, .fault: sendStatus(.bad)
            }
        }
    }

    /// Executes the commands of a frame in order; one status covers all of them.
    private mutating func answer(_ frame: Frame) {
        guard let commands = try? Command.parse(frame.contents) else {
            // A count that points past the end: the meaning of the frame is unknown.
            return sendStatus(.bad)
        }
        control.toggle.toggle()
        var replies: [Reply] = []
        var isRejected = false
        for command in commands {
            switch execute(command) {
            case .done(let reply): if let reply { replies.append(reply) }
            case .rejected: isRejected = true
            }
        }
        // Some monitors do not answer GOIDLE.
        if commands == [.goIdle], generator.integer(0...3) == 0 { return }
        let response =
            isRejected
            ? Response(status: status(.reject))
            : Response(status: status(.ok), replies: replies)
        sendAnswer(
            response.frame(addresses: frame.addresses?.swapped), after: latency(of: commands))
    }

    /// The result of a command.
    enum Outcome: Equatable {
        case done(Reply?)
        case rejected
    }

    private func status(_ previous: StatusByte.PreviousFrame) -> StatusByte {
        StatusByte(toggle: control.toggle, previousFrame: previous, state: publicState)
    }

    /// The public state that the host sees.
    var publicState: CSAFEState {
        if let piece, !piece.isOver {
            // The public state machine treats six seconds without a stroke as a pause.
            if let pause = piece.pause, now >= pause.milliseconds + 6000, isProgrammed {
                return .pause
            }
            return isProgrammed && !control.joinedRunningPiece ? .inUse : .offline
        }
        if state == .workoutEnd || state == .workoutLogged { return .finished }
        return control.publicState
    }

    // MARK: - Answers

    private mutating func sendStatus(_ previous: StatusByte.PreviousFrame) {
        sendAnswer(Response(status: status(previous)).frame(), after: 75)
    }

    /// Median 75 ms, about half a second for a program; the first of a connection is slow.
    private mutating func latency(of commands: [Command]) -> Int {
        if control.answers == 0 { return 1280 }
        for case .wrapped(.setConfiguration, let inner) in commands {
            return inner.count > 1 ? 500 : 400
        }
        return generator.integer(72...88)
    }

    /// Minimum time between two frames, in milliseconds.
    private static let frameGap = 50

    /// In pieces of 20 bytes, ten milliseconds apart, sometimes with the noise of real monitors: a
    /// single zero byte, or the same frame twice.
    private mutating func sendAnswer(_ frame: Frame, after delay: Int) {
        control.answers += 1
        var time = max(now, control.nextAnswer) + delay
        control.busyUntil = time + 10 * (frame.pieces.count - 1) + Self.frameGap
        let copies = generator.integer(0...31) == 0 ? 2 : 1
        for _ in 0..<copies {
            for piece in frame.pieces {
                schedule.add(.controlAnswer(Array(piece)), at: time)
                time += 10
            }
        }
        if generator.integer(0...15) == 0 { schedule.add(.controlAnswer([0]), at: time) }
        control.nextAnswer = time
    }

    mutating func sendControl(_ bytes: [UInt8]) {
        guard subscriptions.contains(.csafeOut) else { return }
        output.append(.notification(characteristic: .csafeOut, bytes: bytes))
    }
}
