import Bytes
import PM5Codec
import Rowing
import Timeline

// Input: steps of a station's events, each an operation, a time and its arguments.
//
// Nothing that a monitor sends, and no moment at which a link or the gateway dies, traps; strokes are
// reported once and in order, and a checkpoint equals the stored state.

@_cdecl("LLVMFuzzerTestOneInput")
public func sessionTarget(_ start: UnsafeRawPointer, _ count: Int) -> CInt {
    var station = FuzzedStation(input: UnsafeRawBufferPointer(start: start, count: count))
    while station.step() {}
    return 0
}

private struct FuzzedStation {
    private var input: Slice<UnsafeRawBufferPointer>
    private var machine = SessionMachine(makeSessionID: { SessionID("S") })
    private var events: [SessionEvent] = []
    private var now = BootInstant(nanoseconds: 1_000_000_000_000)
    /// The monitor is too busy for its timed values, which do not come.
    private var isStarved = false
    /// Of the session under way.
    private var lastStroke = 0
    private var lastSplit = 0

    init(input: UnsafeRawBufferPointer) {
        self.input = input[...]
    }

    /// Does the next step; false at the end of the input.
    mutating func step() -> Bool {
        guard let operation = input.popFirst(), let wait = input.popFirst() else { return false }
        // Mostly moments, sometimes minutes.
        let milliseconds = wait < 0xF0 ? Int(wait) * 10 : (Int(wait) - 0xEF) * 60_000
        now = now.advanced(by: .milliseconds(milliseconds))
        switch operation {
        case 0xF0: machine.linkOpened(at: now, into: &events)
        case 0xF1: machine.linkClosed(at: now, into: &events)
        case 0xF2: machine.tick(at: now, into: &events)
        case 0xF3: restart()
        case 0xF4: restart(from: readValue())
        case 0xF5: isStarved.toggle()
        default: receive(CharacteristicID(rawValue: UInt16(operation)), readValue())
        }
        check()
        return true
    }

    private mutating func receive(_ id: CharacteristicID, _ value: [UInt8]) {
        let number = id == .multiplexed ? UInt16(value.first ?? 0) : id.rawValue
        let isTimed = (0x31...0x33).contains(number) || number == 0x3E
        guard !isStarved || !isTimed else { return }
        value.withUnsafeBytes { machine.receive(id, $0, at: now, into: &events) }
    }

    /// A length and that many bytes.
    private mutating func readValue() -> [UInt8] {
        let length = Int(input.popFirst() ?? 0)
        defer { input = input.dropFirst(length) }
        return Array(input.prefix(length))
    }

    private mutating func restart() {
        let checkpoint = machine.checkpoint(at: now)
        machine = SessionMachine(makeSessionID: { SessionID("S") })
        guard let checkpoint else { return }
        guard let stored = SessionCheckpoint(decoding: checkpoint.encode()) else {
            preconditionFailure("a checkpoint cannot be read back")
        }
        precondition(stored.encode() == checkpoint.encode(), "a checkpoint changed in storage")
        machine.resume(from: stored, awayFor: .seconds(1), at: now, into: &events)
    }

    /// A gateway that finds any bytes where its checkpoint should be.
    private mutating func restart(from bytes: [UInt8]) {
        guard let checkpoint = SessionCheckpoint(decoding: bytes) else { return }
        machine = SessionMachine(makeSessionID: { SessionID("S") })
        machine.resume(from: checkpoint, awayFor: .seconds(1), at: now, into: &events)
        (lastStroke, lastSplit) = (0, 0)
    }

    private mutating func check() {
        _ = machine.live(at: now)
        for event in events {
            switch event {
            case .session(let edge) where edge.kind == .started: (lastStroke, lastSplit) = (0, 0)
            case .stroke(let stroke):
                precondition(stroke.number > lastStroke, "a stroke was told twice or late")
                lastStroke = stroke.number
            case .gap(let gap):
                precondition((gap.strokes?.lowerBound ?? .max) > lastStroke, "no such gap")
            case .split(let split):
                precondition(split.number > lastSplit, "a split was told twice or late")
                lastSplit = split.number
            case .session, .force, .summary, .state: break
            }
        }
        events.removeAll(keepingCapacity: true)
    }
}
