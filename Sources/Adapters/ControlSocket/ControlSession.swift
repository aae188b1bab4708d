/// What one client of the control socket sent and is owed: a plain machine, without the socket.
///
/// One request is performed at a time; more may wait in the input, which is bounded: when it is
/// full, reading stops. Time is nanoseconds of a monotonic clock.
struct ControlSession {
    private let limits: ControlLimits
    private var input: MessageBuffer
    private var output: [UInt8] = []
    private var written = 0
    private var isPerforming = false
    private var inputEnded = false
    private var isHangingUp = false
    private var isBroken = false
    private var lastProgress: UInt64

    init(limits: ControlLimits, at now: UInt64) {
        self.limits = limits
        input = MessageBuffer(limit: limits.requestBytes)
        lastProgress = now
    }

    /// Whether bytes of the client should be read.
    var wantsInput: Bool {
        !inputEnded && !isHangingUp && !isBroken && input.count <= limits.requestBytes
    }

    /// What is to be written next.
    var pendingOutput: ArraySlice<UInt8> { output[written...] }

    /// Nothing is left to do, or to hope for: close the connection.
    var isFinished: Bool {
        if isBroken { return true }
        return (inputEnded || isHangingUp) && !isPerforming && pendingOutput.isEmpty
    }

    mutating func receive(_ bytes: some Sequence<UInt8>) { input.append(bytes) }

    /// The client will send no more; what it asked for is still answered.
    mutating func endInput() { inputEnded = true }

    /// The connection cannot be used any more.
    mutating func fail() { isBroken = true }

    /// The next request to perform, when there is one and none is being performed.
    mutating func takeRequest(at now: UInt64) -> [UInt8]? {
        guard !isPerforming, !isHangingUp, !isBroken else { return nil }
        do {
            guard let request = try input.next() else { return nil }
            isPerforming = true
            lastProgress = now
            return request
        } catch {
            hangUp(error, at: now)
            return nil
        }
    }

    /// A reply to the request being performed; nil when the client wants none.
    mutating func reply(_ message: [UInt8]?, isLast: Bool, at now: UInt64) {
        if isLast { isPerforming = false }
        guard let message else { return }
        // A client that was owed nothing begins to owe us its attention now.
        if pendingOutput.isEmpty { lastProgress = now }
        output += message
        output.append(0)
        if pendingOutput.count > limits.outputBytes { isBroken = true }
    }

    /// Says what is wrong and hangs up: after garbage, nothing that follows can be trusted.
    mutating func hangUp(_ failure: ControlFailure, at now: UInt64) {
        isHangingUp = true
        // Two strings always encode; were it otherwise, hanging up alone would still be right.
        reply(try? VarlinkMessage.reply(failure: failure), isLast: true, at: now)
    }

    mutating func didWrite(_ count: Int, at now: UInt64) {
        written += count
        lastProgress = now
        guard written == output.count else { return }
        output.removeAll(keepingCapacity: true)
        written = 0
    }

    /// Whether the client has kept us waiting for too long.
    func isOverdue(at now: UInt64) -> Bool {
        let waited = Duration.nanoseconds(Int64(clamping: now - min(now, lastProgress)))
        if !pendingOutput.isEmpty { return waited > limits.stall }
        return !isPerforming && waited > limits.idle
    }
}
