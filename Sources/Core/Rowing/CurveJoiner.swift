import Timeline

/// Joins curves to strokes by time: 0x003D may come before or after the packets of the same drive.
///
/// Of those 0x0036 tells when the drive ended, on every monitor. 0x0035 counts there too on a real
/// one, but openrowingmonitor counts at the catch, up to a second earlier (its recording).
struct CurveJoiner {
    /// Less than the fastest stroke takes, more than a delay between characteristics.
    static let window = Duration.milliseconds(700)
    static let capacity = 8

    private struct Drive {
        let stroke: Int
        /// When it ended, as near as its packets have told so far.
        var ended: BootInstant
    }

    /// Strokes without a curve, oldest first.
    private var drives: [Drive] = []
    /// Curves without a stroke, oldest first.
    private var curves: [AssembledCurve] = []
    private var lastStroke = 0

    init() {
        drives.reserveCapacity(Self.capacity)
        curves.reserveCapacity(Self.capacity)
    }

    mutating func reset() {
        drives.removeAll(keepingCapacity: true)
        curves.removeAll(keepingCapacity: true)
        lastStroke = 0
    }

    /// The first packet of a stroke arrived.
    mutating func add(stroke: Int, at now: BootInstant) {
        guard stroke > lastStroke else { return }
        lastStroke = stroke
        if drives.count == Self.capacity { drives.removeFirst() }
        drives.append(Drive(stroke: stroke, ended: now))
    }

    /// 0x0036 arrived: the stroke's drive is over.
    mutating func end(driveOf stroke: Int, at now: BootInstant) {
        if let index = drives.firstIndex(where: { $0.stroke == stroke }) {
            drives[index].ended = now
        } else {
            add(stroke: stroke, at: now)
        }
    }

    /// A curve came to its end.
    mutating func add(_ curve: AssembledCurve) {
        if curves.count == Self.capacity { curves.removeFirst() }
        curves.append(curve)
    }

    /// The oldest curve that a stroke is known for, with the stroke's number.
    mutating func next() -> (curve: AssembledCurve, stroke: Int)? {
        for (index, curve) in curves.enumerated() {
            guard let drive = drive(nearest: curve.begun) else { continue }
            let stroke = drives[drive].stroke
            drives.removeSubrange(...drive)
            return (curves.remove(at: index), stroke)
        }
        return nil
    }

    /// The drive that ended within the window; of several the nearest, then the oldest.
    private func drive(nearest instant: BootInstant) -> Int? {
        var nearest: (index: Int, distance: Duration)?
        for (index, drive) in drives.enumerated() {
            let distance = max(drive.ended.duration(to: instant), instant.duration(to: drive.ended))
            if distance <= Self.window, nearest.map({ distance < $0.distance }) ?? true {
                nearest = (index, distance)
            }
        }
        return nearest?.index
    }

    /// Lets go of a curve that no stroke came for.
    mutating func expire(at now: BootInstant) {
        if let first = curves.first, first.begun.duration(to: now) > EarlyPackets.limit {
            curves.removeFirst()
        }
    }
}
