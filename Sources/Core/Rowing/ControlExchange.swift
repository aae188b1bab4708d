import Bytes
import PM5Codec
import Timeline

/// One CSAFE request at a time: sent, matched with its answer, given up after a while.
///
/// Pure, for one link. What does not answer the request under way is dropped: a frame that is
/// delivered twice, the late answer to a request that was given up, noise.
///
/// Source: Concept2 CSAFE definition rev 0.25, frame gap; recordings for latency and duplicates.
package struct ControlExchange: Sendable {
    /// A reply takes 75 ms, to a program half a second, the first one after connecting 1.3 s.
    package static let replyLimit = Duration.seconds(2)
    /// Between two frames, whoever sends them.
    package static let frameGap = Duration.milliseconds(50)

    /// What came of the request under way.
    package enum Outcome: Equatable, Sendable {
        case answered(Response)
        /// The monitor took the frame for damaged, or has no time: it may be sent again.
        case deferred
        /// At least one command was rejected: an illegal value, or the wrong state for it.
        case rejected
        case unanswered
    }

    private struct Request {
        /// What the answer repeats.
        var ids: [UInt8]
        var sent: BootInstant
    }

    private var parser = FrameParser()
    private var request: Request?
    private var lastFrame: BootInstant?
    /// The frame that was taken last; the same once more is a second delivery.
    private var lastContents: [UInt8]?

    package init() {}

    /// Whether a request is under way; another one has to wait.
    package var isWaiting: Bool { request != nil }

    /// When the next frame may be sent, at the earliest.
    package func nextSlot(after now: BootInstant) -> BootInstant {
        guard let gap = lastFrame?.advanced(by: Self.frameGap) else { return now }
        return max(gap, now)
    }

    /// When the request under way is given up; nil without one.
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

    /// Takes a value of 0x0022, cut wherever.
    package mutating func receive(
        _ bytes: some Sequence<UInt8>, at now: BootInstant
    ) -> Outcome? {
        var outcome: Outcome?
        for case .frame(let frame) in parser.consume(bytes) {
            outcome = take(frame, at: now) ?? outcome
        }
        return outcome
    }

    /// Lets time pass.
    package mutating func tick(at now: BootInstant) -> Outcome? {
        guard let deadline, deadline <= now else { return nil }
        request = nil
        // The lost answer changed the toggle unseen, so the next one may look like the last.
        lastContents = nil
        return .unanswered
    }

    private mutating func take(_ frame: Frame, at now: BootInstant) -> Outcome? {
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
