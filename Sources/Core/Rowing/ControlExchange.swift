import Bytes
import PM5Codec
import Timeline

/// Sends one CSAFE request at a time, matches it with its answer, and times out.
///
/// A pure value for one link. It drops frames that do not answer the pending request: duplicates, noise,
/// and late answers to requests that timed out.
///
/// Source: Concept2 CSAFE definition rev 0.25, frame gap; recordings for latency and duplicates.
package struct ControlExchange: Sendable {
    /// Time to wait for a reply. A reply takes 75 ms, to a program 0.5 s, the first one after connecting
    /// 1.3 s.
    package static let replyLimit = Duration.seconds(2)
    /// Minimum time between two frames in either direction.
    package static let frameGap = Duration.milliseconds(50)

    /// The result of the pending request.
    package enum Outcome: Equatable, Sendable {
        case answered(Response)
        /// The monitor found the frame damaged or is busy. The caller may send it again.
        case deferred
        /// The monitor rejected at least one command: illegal value, or wrong state for it.
        case rejected
        case unanswered
    }

    private struct Request {
        /// The command identifiers, which the answer repeats.
        var ids: [UInt8]
        var sent: BootInstant
    }

    private var parser = FrameParser()
    private var request: Request?
    private var lastFrame: BootInstant?
    /// The contents of the last accepted frame, to recognise duplicates.
    private var lastContents: [UInt8]?

    package init() {}

    /// Whether a request is pending; the next request has to wait.
    package var isWaiting: Bool { request != nil }

    /// The earliest time at which the next frame may be sent.
    package func nextSlot(after now: BootInstant) -> BootInstant {
        guard let gap = lastFrame?.advanced(by: Self.frameGap) else { return now }
        return max(gap, now)
    }

    /// When the pending request times out; nil without one.
    package var deadline: BootInstant? { request?.sent.advanced(by: Self.replyLimit) }

    /// Begins a request; returns the values to write to 0x0021, in this order.
    package mutating func send(
        _ commands: [ProprietaryCommand], in wrapper: Wrapper, at now: BootInstant
    ) -> [[UInt8]] {
        precondition(request == nil, "one request at a time")
        request = Request(ids: commands.map(\.id), sent: now)
        lastFrame = now
        return Frame(.wrapped(wrapper, commands)).pieces.map { Array($0) }
    }

    /// Handles a value of 0x0022. Values may split a frame anywhere.
    package mutating func receive(
        _ bytes: some Sequence<UInt8>, at now: BootInstant
    ) -> Outcome? {
        var outcome: Outcome?
        for case .frame(let frame) in parser.consume(bytes) {
            outcome = handle(frame, at: now) ?? outcome
        }
        return outcome
    }

    /// Times out the pending request if its deadline has passed.
    package mutating func tick(at now: BootInstant) -> Outcome? {
        guard let deadline, deadline <= now else { return nil }
        request = nil
        // The lost answer changed the toggle bit, so the next answer may equal the last one.
        lastContents = nil
        return .unanswered
    }

    private mutating func handle(_ frame: Frame, at now: BootInstant) -> Outcome? {
        lastFrame = now
        guard let request, frame.contents != lastContents else { return nil }
        let response: Response
        do throws(DecodeError) { response = try Response(frame) } catch { return nil }
        if response.status.isAccepted {
            guard response.replies.flatMap(\.inner).map(\.id) == request.ids else { return nil }
        }
        lastContents = frame.contents
        self.request = nil
        return switch response.status.previousFrame {
        case .ok: .answered(response)
        case .reject: .rejected
        case .bad, .notReady: .deferred
        }
    }
}
