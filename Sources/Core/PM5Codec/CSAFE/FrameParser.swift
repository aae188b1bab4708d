/// Finds the CSAFE frames in a stream of bytes, independent of notification boundaries.
///
/// Bytes between frames are noise and only counted; a PM5 can send single 00 notifications. A start flag
/// inside a frame begins a new frame. Pass bytes in order of arrival: notifications may contain parts of
/// frames, several frames, or half a stuffed pair.
package struct FrameParser: Sendable {
    /// The maximum number of unstuffed bytes of a frame: a PM5 sends 120, a few emulators more.
    package static let capacity = 1024

    /// The result of a completed frame.
    package enum Event: Hashable, Sendable {
        case frame(Frame)
        case fault(FrameFault)
    }

    private enum State {
        case outside, inside, escaped
    }

    private var state = State.outside
    private var isExtended = false
    private var collected: [UInt8] = []

    /// Bytes outside frames so far, including those after a fault.
    package private(set) var noiseBytes = 0

    package init() {}

    /// Whether the last byte is between a start flag and its stop flag.
    package var isInsideFrame: Bool { state != .outside }

    /// Returns the frames and faults that `bytes` complete, in order.
    package mutating func consume(_ bytes: some Sequence<UInt8>) -> [Event] {
        bytes.compactMap { consume($0) }
    }

    /// Returns the frame or fault that `byte` completes, if any.
    package mutating func consume(_ byte: UInt8) -> Event? {
        switch byte {
        case ByteStuffing.standardStart, ByteStuffing.extendedStart: return start(byte)
        case ByteStuffing.stop: return stop()
        case ByteStuffing.escape where state == .inside:
            state = .escaped
            return nil
        default: return content(byte)
        }
    }

    /// Ends the stream. An incomplete frame is a fault. Resets the parser, except for its counts.
    package mutating func finish() -> FrameFault? {
        guard isInsideFrame else { return nil }
        state = .outside
        return .noStopFlag(discarded: collected.count)
    }

    private mutating func start(_ flag: UInt8) -> Event? {
        let fault = finish()
        isExtended = flag == ByteStuffing.extendedStart
        collected.removeAll(keepingCapacity: true)
        state = .inside
        return fault.map(Event.fault)
    }

    private mutating func content(_ byte: UInt8) -> Event? {
        switch state {
        case .outside:
            noiseBytes += 1
            return nil
        case .escaped:
            guard let original = ByteStuffing.unstuffed(byte) else {
                return abandon(.badEscape(byte))
            }
            return collect(original)
        case .inside:
            return collect(byte)
        }
    }

    private mutating func collect(_ byte: UInt8) -> Event? {
        guard collected.count < Self.capacity else {
            return abandon(.tooLong(limit: Self.capacity))
        }
        collected.append(byte)
        state = .inside
        return nil
    }

    private mutating func stop() -> Event? {
        switch state {
        case .outside:
            noiseBytes += 1
            return nil
        case .escaped:
            return abandon(.badEscape(ByteStuffing.stop))
        case .inside:
            state = .outside
            return completed()
        }
    }

    private mutating func abandon(_ fault: FrameFault) -> Event {
        state = .outside
        return .fault(fault)
    }

    private func completed() -> Event {
        let addressCount = isExtended ? 2 : 0
        guard collected.count > addressCount else { return .fault(.tooShort(collected.count)) }
        let contents = collected[addressCount..<(collected.count - 1)]
        let expected = Frame.checksum(contents)
        let found = collected[collected.count - 1]
        guard expected == found else {
            return .fault(.checksum(expected: expected, found: found))
        }
        let addresses =
            isExtended
            ? Frame.Addresses(destination: collected[0], source: collected[1]) : nil
        return .frame(Frame(contents: Array(contents), addresses: addresses))
    }
}

extension Frame {
    /// Decodes the first frame in `bytes`; throws if a fault comes first.
    package init(decoding bytes: some Sequence<UInt8>) throws(FrameFault) {
        var parser = FrameParser()
        for byte in bytes {
            switch parser.consume(byte) {
            case .frame(let frame):
                self = frame
                return
            case .fault(let fault): throw fault
            case nil: continue
            }
        }
        throw parser.finish() ?? .tooShort(0)
    }
}
