import PM5Codec
import Rowing
import Timeline

/// The CSAFE requests of a phone on their way to the monitor.
///
/// The monitor has one channel for requests, and its replies do not name the request. Therefore the phone
/// gets the channel from the start of a request to its reply, or until the monitor has not replied for
/// `ControlExchange.replyLimit`, the limit of rowgate's own requests; some commands, for example GOIDLE, have no
/// reply. While rowgate uses the channel, the phone's values wait here. They are sent one request at a time,
/// because a monitor rejects a request that arrives during another one.
///
/// A pure value for one phone.
package struct RelayedRequests: Sendable {
    /// Values that may wait: more than a phone sends within some seconds.
    package static let waitingLimit = 64

    /// Values that wait for the channel, each with the number of its write.
    private var waiting: [(write: Int, bytes: [UInt8])] = []
    /// Whether the phone has the channel.
    package private(set) var isActive = false
    /// The frames that were sent.
    private var sent = FrameBounds()
    /// Frames without a reply.
    private var pendingFrames = 0
    private var replies = FrameBounds()
    private var parser = FrameParser()
    /// Whether the request that is or was under way sets a workout.
    package private(set) var setsWorkout = false
    /// When the channel is free again, unless the monitor replies.
    private var limit: BootInstant?

    package init() {}

    /// Whether values wait for the channel.
    package var isWaiting: Bool { !waiting.isEmpty }

    /// When `tick` ends an unanswered request.
    package var deadline: BootInstant? { isActive ? limit : nil }

    /// Adds what the phone wrote. Longer values are split, because the monitor takes 20 bytes at a time.
    ///
    /// - Parameter write: the number of the write, which `next` returns.
    /// - Returns: false if too many values wait already.
    package mutating func enqueue(_ value: [UInt8], write: Int) -> Bool {
        guard waiting.count < Self.waitingLimit else { return false }
        var rest = value[...]
        repeat {
            waiting.append((write, Array(rest.prefix(Frame.pieceLength))))
            rest = rest.dropFirst(Frame.pieceLength)
        } while !rest.isEmpty
        return true
    }

    /// Takes the channel, which is free, and returns the values to write now.
    package mutating func begin(at now: BootInstant) -> [(write: Int, bytes: [UInt8])] {
        isActive = true
        replies = FrameBounds()
        setsWorkout = false
        return next(at: now)
    }

    /// Returns the values to write now, because the phone has the channel.
    package mutating func next(at now: BootInstant) -> [(write: Int, bytes: [UInt8])] {
        guard isActive, pendingFrames == 0, !waiting.isEmpty else { return [] }
        var count = 0
        while count < waiting.count, pendingFrames == 0 || sent.isInside {
            for byte in waiting[count].bytes { note(byte) }
            count += 1
        }
        limit = now.advanced(by: ControlExchange.replyLimit)
        defer { waiting.removeFirst(count) }
        return Array(waiting[..<count])
    }

    private mutating func note(_ byte: UInt8) {
        if sent.ends(with: byte) { pendingFrames += 1 }
        guard case .frame(let frame)? = parser.consume(byte),
            let commands = try? Command.parse(frame.contents)
        else { return }
        setsWorkout = setsWorkout || commands.contains(where: \.setsWorkout)
    }

    /// Handles a value of the monitor while the phone has the channel; returns true if it is free now.
    package mutating func receive(_ bytes: some Sequence<UInt8>) -> Bool {
        guard isActive else { return false }
        for byte in bytes where replies.ends(with: byte) { pendingFrames = max(0, pendingFrames - 1) }
        guard pendingFrames == 0, !sent.isInside, !replies.isInside else { return false }
        end()
        return true
    }

    /// Ends a request without a reply; returns true if the channel is free now.
    package mutating func tick(at now: BootInstant) -> Bool {
        guard isActive, let limit, limit <= now else { return false }
        end()
        return true
    }

    /// The phone is gone: drops the values that wait, and returns their writes. A request that the monitor has
    /// keeps the channel until it is over.
    package mutating func dropWaiting() -> [Int] {
        defer { waiting = [] }
        return waiting.map(\.write)
    }

    /// The link is over. Returns the writes that nobody answers any more.
    package mutating func reset() -> [Int] {
        end()
        return dropWaiting()
    }

    private mutating func end() {
        isActive = false
        sent = FrameBounds()
        replies = FrameBounds()
        pendingFrames = 0
        limit = nil
    }
}

/// Where frames begin and end in a stream of bytes. Unlike `FrameParser`, it counts damaged frames, because the
/// monitor replies to them.
private struct FrameBounds {
    /// Whether the last frame has no end yet.
    private(set) var isInside = false

    /// Notes the next byte; returns true if a frame ends with it.
    mutating func ends(with byte: UInt8) -> Bool {
        switch byte {
        case ByteStuffing.standardStart, ByteStuffing.extendedStart: isInside = true
        case ByteStuffing.stop where isInside:
            isInside = false
            return true
        default: break
        }
        return false
    }
}
