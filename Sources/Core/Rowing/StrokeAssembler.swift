import PM5Codec
import Timeline

/// A stroke from 0x0035 and 0x0036, still in the monitor's units.
struct AssembledStroke {
    /// Over the whole session.
    let number: Int
    /// The leg in which the packets count time and distance, from 1.
    let leg: Int
    /// When the first of its packets arrived.
    let firstSeen: BootInstant
    /// The later packet; nil if all of 0x0035 was lost.
    fileprivate(set) var data: StrokeData?
    fileprivate(set) var power: AdditionalStrokeData?
    /// Whether both packets of 0x0035 arrived. Only then the recovery time belongs to this stroke.
    fileprivate(set) var hasRecovery = false

    /// Since the start of the leg: at the end of the recovery if known.
    var elapsedCentiseconds: UInt32 {
        (data?.elapsedCentiseconds ?? power?.elapsedCentiseconds) ?? 0
    }

    fileprivate var isComplete: Bool { hasRecovery && power != nil }
}

/// Merges stroke packets, numbers the strokes over the session, and releases each stroke once.
///
/// A real monitor sends 0x0035 and 0x0036 at the end of the drive. At the end of the recovery it repeats
/// 0x0035 with the same drive and the new recovery time (ErgometerJS recording). openrowingmonitor sends
/// 0x0035 at the catch; its second 0x0035 has the drive. Packets of one kind stay in order, but a slow
/// reader may see one kind well before the other.
struct StrokeAssembler {
    /// After 6 s without a stroke, the monitor itself reports the rower inactive.
    static let recoveryLimit = Duration.seconds(6)
    /// How long a stroke waits for its packets after the next stroke has begun.
    static let successorLimit = Duration.seconds(1)
    /// Packets closer than this are repetitions of one event. Captured bursts lie within 0.1 s, and a drive
    /// or recovery takes longer.
    static let burstCentiseconds: Int64 = 20
    /// More strokes than a rower makes while packets of the previous interval can still arrive.
    static let earlyStrokes: UInt16 = 5
    /// How far a late packet may be behind the last one of its interval.
    static let lateCentiseconds: UInt32 = 2000
    /// With more open strokes than this, the packets are lost, not late.
    static let capacity = 8

    private struct Mark {
        var count: UInt16 = 0
        var elapsed: UInt32 = 0
    }

    /// The monitor's count within one interval.
    private struct Frame {
        var leg = 1
        /// The session's number of the monitor's stroke 0.
        var base = 0
        var lastCount: UInt16 = 0
        var lastElapsed: UInt32 = 0
        /// The last 0x0035 and the last 0x0036; one may be well behind the other.
        var lastData = Mark()
        var lastPower = Mark()

        /// The session's number of a count, extended past 16 bits.
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
    /// The highest number released or declared lost.
    private(set) var released = 0
    /// The highest number in any packet.
    private(set) var highest = 0

    init() {
        open.reserveCapacity(Self.capacity + 1)
    }

    /// The leg in which packets are counted.
    var leg: Int { frame.leg }
    var previousLeg: Int { previousFrame.leg }
    /// The session's number of the monitor's stroke 0 in this leg.
    var base: Int { frame.base }
    var lastElapsedCentiseconds: UInt32 { frame.lastElapsed }

    /// Whether the stroke with this monitor count was released or declared lost.
    func isReleased(_ count: UInt16) -> Bool { frame.number(count) <= released }

    mutating func reset() {
        open.removeAll(keepingCapacity: true)
        frame = Frame()
        previousFrame = Frame()
        (lastDrive, lastPower, released, highest) = (0, 0, 0, 0)
    }

    /// Restores the state in `leg` after a restart. Strokes above `released` were in progress.
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

    /// The monitor's count restarts. The session's numbers continue after the highest one.
    mutating func enter(leg: Int) {
        previousFrame = frame
        frame = Frame(leg: leg, base: highest)
    }

    /// Whether count and time both decreased since the last packet of this kind, as at a new interval. The
    /// other kind may have been read long before.
    func isRestart(count: UInt16, elapsedCentiseconds: UInt32, isPower: Bool) -> Bool {
        let last = isPower ? frame.lastPower : frame.lastData
        return count > 0 && count < last.count && elapsedCentiseconds + 500 < last.elapsed
    }

    /// Whether a packet that is too late for the next leg belongs to this one.
    func canContinue(count: UInt16, elapsedCentiseconds: UInt32) -> Bool {
        Self.isLate(count, elapsedCentiseconds, in: frame)
    }

    /// Whether a packet can be a late one of the previous leg.
    func belongsToPreviousLeg(count: UInt16, elapsedCentiseconds: UInt32) -> Bool {
        previousFrame.leg < frame.leg
            && Self.isLate(count, elapsedCentiseconds, in: previousFrame)
    }

    /// Whether count and time are near the end of a leg, or continue from there.
    private static func isLate(_ count: UInt16, _ elapsed: UInt32, in frame: Frame) -> Bool {
        if count > earlyStrokes { return elapsed + lateCentiseconds >= frame.lastElapsed }
        return count >= frame.lastCount && elapsed >= frame.lastElapsed
    }

    /// Adds a packet of the end of the drive or of the recovery.
    ///
    /// - Parameter leg: the current leg or the one before.
    /// - Returns: the stroke's number; nil if the packet has no new content.
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

    /// Adds a packet of the drive's power; `leg` and the result are as for 0x0035.
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

    /// Releases the next stroke that is complete or whose packets are overdue.
    ///
    /// - Parameter flush: releases every stroke as it is.
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

    /// Returns the index of the open stroke with this count and creates it if necessary; nil if it was
    /// released.
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
    /// Adds a packet of 0x0035; returns false if it has no new content.
    fileprivate mutating func merge(_ packet: StrokeData) -> Bool {
        guard let known = data else {
            data = packet
            return true
        }
        let distance = abs(Int64(packet.elapsedCentiseconds) - Int64(known.elapsedCentiseconds))
        guard distance > StrokeAssembler.burstCentiseconds else { return false }
        let isNew = !hasRecovery || packet.elapsedCentiseconds > known.elapsedCentiseconds
        hasRecovery = true
        if packet.elapsedCentiseconds > known.elapsedCentiseconds { data = packet }
        return isNew
    }
}
