/// Protocol state of one control-socket client, without the socket itself.
///
/// One request is performed at a time. Further requests wait in the bounded input buffer; when the
/// buffer is full, reading stops. Times are nanoseconds of a monotonic clock.
struct ControlSession {
    private let limits: ControlLimits
    private var input: MessageBuffer
    private var output: [UInt8] = []
    /// Bytes of `output` that the socket has accepted.
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

    /// Whether to read more bytes from the client.
    var wantsInput: Bool {
        !inputEnded && !isHangingUp && !isBroken && input.count <= limits.requestBytes
    }

    /// Bytes that are not written yet.
    var pendingOutput: ArraySlice<UInt8> { output[written...] }

    /// Whether the connection can be closed: it broke, or all replies are written.
    var isFinished: Bool {
        if isBroken { return true }
        return (inputEnded || isHangingUp) && !isPerforming && pendingOutput.isEmpty
    }

    mutating func receive(_ bytes: some Sequence<UInt8>) { input.append(bytes) }

    /// The client will send no more. Requests that it has sent are still answered.
    mutating func endInput() { inputEnded = true }

    /// The connection cannot be used any more.
    mutating func fail() { isBroken = true }

    /// Removes and returns the next request; nil if none is complete or one is still being performed.
    mutating func beginNextRequest(at now: UInt64) -> [UInt8]? {
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

    /// Appends a reply to the current request; nil if the client wants none.
    mutating func reply(_ message: [UInt8]?, isLast: Bool, at now: UInt64) {
        if isLast { isPerforming = false }
        guard let message else { return }
        // The stall limit runs from the first unwritten reply.
        if pendingOutput.isEmpty { lastProgress = now }
        output += message
        output.append(0)
        if pendingOutput.count > limits.outputBytes { isBroken = true }
    }

    /// Replies with an error and closes. Input after a malformed request cannot be parsed reliably.
    mutating func hangUp(_ failure: ControlFailure, at now: UInt64) {
        isHangingUp = true
        // Encoding two strings cannot fail. If it did, closing without a reply is still correct.
        reply(try? VarlinkMessage.reply(failure: failure), isLast: true, at: now)
    }

    mutating func didWrite(_ count: Int, at now: UInt64) {
        written += count
        lastProgress = now
        guard written == output.count else { return }
        output.removeAll(keepingCapacity: true)
        written = 0
    }

    /// Whether the client exceeded the idle limit, or the stall limit while a reply is unread.
    func isOverdue(at now: UInt64) -> Bool {
        let waited = Duration.nanoseconds(Int64(clamping: now - min(now, lastProgress)))
        if !pendingOutput.isEmpty { return waited > limits.stall }
        return !isPerforming && waited > limits.idle
    }
}

/// Splits a byte stream into messages that end with NUL.
struct MessageBuffer {
    /// Maximum bytes of a message before its NUL.
    let limit: Int
    private var bytes: [UInt8] = []
    /// Index of the first byte that `next` has not returned.
    private var head = 0
    /// There is no NUL between `head` and this index.
    private var scanned = 0

    init(limit: Int) { self.limit = limit }

    /// Bytes that `next` has not returned yet.
    var count: Int { bytes.count - head }

    mutating func append(_ new: some Sequence<UInt8>) { bytes.append(contentsOf: new) }

    /// Removes and returns the next complete message without its NUL; nil if there is none.
    mutating func next() throws(ControlFailure) -> [UInt8]? {
        while scanned < bytes.count, bytes[scanned] != 0 { scanned += 1 }
        guard scanned - head <= limit else { throw .requestTooLarge(limit: limit) }
        guard scanned < bytes.count else { return nil }
        let message = Array(bytes[head..<scanned])
        scanned += 1
        head = scanned
        compact()
        return message
    }

    /// Moves the rest to the front when it is less than half, so that each byte moves about once.
    private mutating func compact() {
        guard head > bytes.count / 2 else { return }
        bytes.removeSubrange(..<head)
        scanned -= head
        head = 0
    }
}

/// Resource limits of the control socket.
package struct ControlLimits: Sendable {
    /// Clients at a time. A further client gets an error and is disconnected.
    package var clients = 16
    /// Bytes of one request, without its NUL.
    package var requestBytes = 64 * 1024
    /// Unread bytes of replies per client.
    package var outputBytes = 1024 * 1024
    /// A client that sends no request for this long is disconnected.
    package var idle: Duration = .seconds(60)
    /// A client that reads nothing of a pending reply for this long is disconnected.
    package var stall: Duration = .seconds(10)
    package init() {}
}
