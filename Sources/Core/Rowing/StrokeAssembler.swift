import PM5Codec
import Timeline

/// A stroke put together from 0x0035 and 0x0036, still in the monitor's units.
struct AssembledStroke {
    /// Over the whole session.
    let number: Int
    /// The interval in whose frame the packets count time and distance, from 1.
    let leg: Int
    /// When the first of its packets arrived.
    let firstSeen: BootInstant
    /// The later packet; nil when all of 0x0035 was lost.
    fileprivate(set) var data: StrokeData?
    fileprivate(set) var power: AdditionalStrokeData?
    /// Whether both packets of 0x0035 came: only then its recovery time is of this stroke.
    fileprivate(set) var hasRecovery = false

    /// Since the start of the leg: at the end of the recovery where that is known.
    var elapsedCentiseconds: UInt32 {
        (data?.elapsedCentiseconds ?? power?.elapsedCentiseconds) ?? 0
    }

    fileprivate var isComplete: Bool { hasRecovery && power != nil }
}

/// Merges the packets of strokes, numbers them over the session, and gives each out once.
///
/// A real monitor counts at the end of the drive: 0x0035, 0x0036, and at the end of the recovery
/// 0x0035 again with the same drive and the new recovery time (ErgometerJS recording).
/// openrowingmonitor counts at the catch, so there the second 0x0035 brings the drive. Each kind
/// of packet keeps its own order, but a late reader may see one kind well before the other.
struct StrokeAssembler {
    /// The monitor itself takes a rower for absent after 6 s without a stroke.
    static let recoveryLimit = Duration.seconds(6)
    /// How long a stroke whose successor has begun waits for a packet of its own.
    static let successorLimit = Duration.seconds(1)
    /// Packets nearer than this are one event told twice: captured bursts lie within 0.1 s, and
    /// neither a drive nor a recovery is this short.
    static let burstCentiseconds: Int64 = 20
    /// Nobody makes more strokes in the seconds in which packets of the interval before still come.
    static let earlyStrokes: UInt16 = 5
    /// Less than a late packet may be behind the last one of its interval.
    static let lateCentiseconds: UInt32 = 2000
    /// More open strokes than this are no delay but a loss.
    static let capacity = 8

    private struct Mark {
        var count: UInt16 = 0
        var elapsed: UInt32 = 0
    }

    /// How the monitor counts within one interval.
    private struct Frame {
        var leg = 1
        /// The session's number of the monitor's stroke 0.
        var base = 0
        var lastCount: UInt16 = 0
        var lastElapsed: UInt32 = 0
        /// Where the last 0x0035 and the last 0x0036 stood, of which one may be well behind.
        var lastData = Mark()
        var lastPower = Mark()

        /// The session's number of a count; a 16-bit count that ran over goes on.
        func number(_ count: UInt16) -> Int {
            if lastCount > 0xF000, count < 0x1000 { return base + 0x1_0000 + Int(count) }
            if lastCount < 0x1000, count > 0xF000, base >= 0x1_0000 {
                return base - 0x1_0000 + Int(count)
            }
            return base + Int(count)
        }
    }

    private var open: [AssembledStroke] = []
    private var frame = Frame()
    private var previousFrame = Frame()
    private var lastDrive = 0
    private var lastPower = 0
    /// The highest number given out or known to be lost.
    private(set) var released = 0
    /// The highest number seen in any packet.
    private(set) var highest = 0

    init() {
        open.reserveCapacity(Self.capacity + 1)
    }

    /// The interval that packets are counted in.
    var leg: Int { frame.leg }
    var previousLeg: Int { previousFrame.leg }
    /// The session's number of the monitor's stroke 0 in this leg.
    var base: Int { frame.base }
    var lastElapsedCentiseconds: UInt32 { frame.lastElapsed }

    /// Whether the stroke that the monitor counts so was given out, or declared lost.
    func isTold(_ count: UInt16) -> Bool { frame.number(count) <= released }

    mutating func reset() {
        open.removeAll(keepingCapacity: true)
        frame = Frame()
        previousFrame = Frame()
        (lastDrive, lastPower, released, highest) = (0, 0, 0, 0)
    }

    /// Goes on after a restart, where it stood in `leg`; strokes above `released` were under way.
    mutating func resume(
        leg: Int, base: Int, released: Int, highest: Int, elapsedCentiseconds: UInt32
    ) {
        reset()
        self.released = released
        self.highest = max(released, highest)
        frame = Frame(
            leg: leg, base: base,
            lastCount: UInt16(truncatingIfNeeded: max(0, self.highest - base)),
            lastElapsed: elapsedCentiseconds)
        frame.lastData = Mark(count: frame.lastCount, elapsed: elapsedCentiseconds)
        frame.lastPower = frame.lastData
        previousFrame = frame
    }

    /// The monitor's count restarts: what follows is numbered on from the highest number.
    mutating func enter(leg: Int) {
        previousFrame = frame
        frame = Frame(leg: leg, base: highest)
    }

    /// Whether count and time both went back, as they do at an interval, since the last packet of
    /// this kind: those of the other kind may have been read long before.
    func isRestart(count: UInt16, elapsedCentiseconds: UInt32, isPower: Bool) -> Bool {
        let last = isPower ? frame.lastPower : frame.lastData
        return count > 0 && count < last.count && elapsedCentiseconds + 500 < last.elapsed
    }

    /// Whether a packet that cannot be of the next leg is of this one.
    func goesOn(count: UInt16, elapsedCentiseconds: UInt32) -> Bool {
        Self.isLate(count, elapsedCentiseconds, in: frame)
    }

    /// Whether a packet can be a late one of the leg before.
    func isOfPreviousLeg(count: UInt16, elapsedCentiseconds: UInt32) -> Bool {
        previousFrame.leg < frame.leg
            && Self.isLate(count, elapsedCentiseconds, in: previousFrame)
    }

    /// Whether count and time are near the end of a leg, or go on from there.
    private static func isLate(_ count: UInt16, _ elapsed: UInt32, in frame: Frame) -> Bool {
        if count > earlyStrokes { return elapsed + lateCentiseconds >= frame.lastElapsed }
        return count >= frame.lastCount && elapsed >= frame.lastElapsed
    }

    /// Takes a packet of the drive's or the recovery's end in.
    ///
    /// `leg` is the present one or the one before it. nil when the packet says nothing new,
    /// otherwise the stroke's number.
    mutating func receive(_ packet: StrokeData, leg: Int, at now: BootInstant) -> Int? {
        guard
            let index = place(packet.strokeCount, packet.elapsedCentiseconds, leg: leg, at: now)
        else { return nil }
        lastDrive = max(lastDrive, open[index].number)
        if leg == frame.leg {
            frame.lastData = Mark(count: packet.strokeCount, elapsed: packet.elapsedCentiseconds)
        }
        return open[index].merge(packet) ? open[index].number : nil
    }

    /// Takes a packet of the drive's power in; `leg` and the result are as for 0x0035.
    mutating func receive(_ packet: AdditionalStrokeData, leg: Int, at now: BootInstant) -> Int? {
        guard
            let index = place(packet.strokeCount, packet.elapsedCentiseconds, leg: leg, at: now)
        else { return nil }
        lastPower = max(lastPower, open[index].number)
        if leg == frame.leg {
            frame.lastPower = Mark(count: packet.strokeCount, elapsed: packet.elapsedCentiseconds)
        }
        guard open[index].power == nil else { return nil }
        open[index].power = packet
        return open[index].number
    }

    /// The next stroke that is complete, or that nothing more can come for.
    ///
    /// With `flush` every stroke is given out as it is.
    mutating func next(at now: BootInstant, flush: Bool = false) -> AssembledStroke? {
        guard !open.isEmpty, flush || isFirstSettled(at: now) else { return nil }
        let first = open.removeFirst()
        released = first.number
        return first
    }

    private func isFirstSettled(at now: BootInstant) -> Bool {
        let stroke = open[0]
        if stroke.isComplete || open.count > Self.capacity { return true }
        if stroke.firstSeen.duration(to: now) >= Self.recoveryLimit { return true }
        guard open.count > 1 else { return false }
        let driveIsOver = stroke.hasRecovery || lastDrive > stroke.number
        let powerIsOver = stroke.power != nil || lastPower > stroke.number
        return driveIsOver && powerIsOver
            || open[1].firstSeen.duration(to: now) >= Self.successorLimit
    }

    /// The open stroke with this count, made if need be; nil when it was given out already.
    private mutating func place(
        _ count: UInt16, _ elapsed: UInt32, leg: Int, at now: BootInstant
    ) -> Int? {
        let isPresent = leg == frame.leg
        let counted = isPresent ? frame : previousFrame
        let number = counted.number(count)
        guard number > counted.base, number > released else { return nil }
        if isPresent {
            frame.lastElapsed = max(frame.lastElapsed, elapsed)
            if number > highest {
                highest = number
                frame.lastCount = count
                frame.base = number - Int(count)
            }
        } else if number > frame.base {
            return nil
        }
        let index = open.firstIndex { $0.number >= number } ?? open.endIndex
        if index < open.endIndex, open[index].number == number { return index }
        if open.count > Self.capacity, index > 0 {
            open.removeFirst()
            open.insert(AssembledStroke(number: number, leg: leg, firstSeen: now), at: index - 1)
            return index - 1
        }
        open.insert(AssembledStroke(number: number, leg: leg, firstSeen: now), at: index)
        return index
    }
}

extension AssembledStroke {
    /// Adds a packet of 0x0035; false when it says nothing new.
    fileprivate mutating func merge(_ packet: StrokeData) -> Bool {
        guard let known = data else {
            data = packet
            return true
        }
        let distance = abs(Int64(packet.elapsedCentiseconds) - Int64(known.elapsedCentiseconds))
        guard distance > StrokeAssembler.burstCentiseconds else { return false }
        let isNews = !hasRecovery || packet.elapsedCentiseconds > known.elapsedCentiseconds
        hasRecovery = true
        if packet.elapsedCentiseconds > known.elapsedCentiseconds { data = packet }
        return isNews
    }
}
