import PM5Codec
import Timeline

/// A finished force curve that is not yet joined to a stroke.
struct AssembledCurve {
    /// When its first piece arrived: shortly after the end of the drive.
    let begun: BootInstant
    let isComplete: Bool
    let poundsForce: [UInt16]
}

/// Collects the pieces of 0x003D into curves.
struct ForceCurveAssembler {
    /// Pieces follow each other within a few connection intervals; after one second the rest is lost.
    static let pieceLimit = Duration.seconds(1)

    private var samples: [UInt16] = []
    private var begun = BootInstant(nanoseconds: 0)
    private var lastPiece = BootInstant(nanoseconds: 0)
    private var pieceCount: UInt8 = 0
    private var nextSequence: UInt8 = 0
    private var isWhole = true
    private var isCollecting = false

    init() {
        // Room for 15 pieces of 15 samples, so that collecting never allocates.
        samples.reserveCapacity(15 * ForceSamples.capacity)
    }

    /// Adds a piece. Returns the curve that ends with it, complete or not.
    ///
    /// A piece that begins a curve also ends the curve before it. If that piece is a complete curve too,
    /// the next call of `receive` or `expire` returns it.
    mutating func receive(_ piece: ForceCurvePiece, at now: BootInstant) -> AssembledCurve? {
        let isRepeated = isCollecting && piece.sequence &+ 1 == nextSequence
        if isRepeated, piece.sequence > 0 { return nil }
        let begins = !isCollecting || piece.sequence < nextSequence
        let cut = begins ? end() : nil
        if begins { begin(piece, at: now) }
        isWhole = isWhole && piece.sequence == nextSequence
        isWhole = isWhole && piece.samples.count == Int(piece.announcedCount)
        nextSequence = piece.sequence &+ 1
        lastPiece = now
        // Uses an index, because iterating over a collection of another module allocates for each element.
        for index in 0..<piece.samples.count {
            samples.append(UInt16(clamping: piece.samples[index]))
        }
        return cut ?? (isAtEnd ? end() : nil)
    }

    /// Returns a curve whose last pieces did not arrive in time.
    mutating func expire(at now: BootInstant) -> AssembledCurve? {
        guard isCollecting, isAtEnd || lastPiece.duration(to: now) >= Self.pieceLimit else {
            return nil
        }
        return end()
    }

    mutating func reset() {
        isCollecting = false
        samples.removeAll(keepingCapacity: true)
    }

    private var isAtEnd: Bool { isCollecting && nextSequence >= pieceCount }

    private mutating func begin(_ piece: ForceCurvePiece, at now: BootInstant) {
        samples.removeAll(keepingCapacity: true)
        begun = now
        pieceCount = piece.pieceCount
        nextSequence = 0
        isWhole = true
        isCollecting = true
    }

    private mutating func end() -> AssembledCurve? {
        guard isCollecting else { return nil }
        isCollecting = false
        // Copies the samples, so that the buffer stays unshared and the next curve does not allocate.
        let copy = samples.withUnsafeBufferPointer { Array($0) }
        return AssembledCurve(
            begun: begun, isComplete: isWhole && nextSequence == pieceCount, poundsForce: copy)
    }
}

/// Joins force curves to strokes by time: 0x003D may arrive before or after the packets of its drive.
///
/// 0x0036 marks the end of the drive on every monitor. A real monitor also sends 0x0035 then, but
/// openrowingmonitor sends it at the catch, up to a second earlier (its recording).
struct CurveJoiner {
    /// Shorter than the fastest stroke, longer than the delay between characteristics.
    static let window = Duration.milliseconds(700)
    static let capacity = 8

    private struct Drive {
        let stroke: Int
        /// The best estimate of when the drive ended.
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

    /// Adds a stroke when its first packet arrives.
    mutating func add(stroke: Int, at now: BootInstant) {
        guard stroke > lastStroke else { return }
        lastStroke = stroke
        if drives.count == Self.capacity { drives.removeFirst() }
        drives.append(Drive(stroke: stroke, ended: now))
    }

    /// Notes that 0x0036 arrived: the drive of the stroke is over.
    mutating func end(driveOf stroke: Int, at now: BootInstant) {
        if let index = drives.firstIndex(where: { $0.stroke == stroke }) {
            drives[index].ended = now
        } else {
            add(stroke: stroke, at: now)
        }
    }

    /// Adds a finished curve.
    mutating func add(_ curve: AssembledCurve) {
        if curves.count == Self.capacity { curves.removeFirst() }
        curves.append(curve)
    }

    /// Removes and returns the oldest curve that has a matching stroke, with the number of the stroke.
    mutating func next() -> (curve: AssembledCurve, stroke: Int)? {
        for (index, curve) in curves.enumerated() {
            guard let drive = drive(nearest: curve.begun) else { continue }
            let stroke = drives[drive].stroke
            drives.removeSubrange(...drive)
            return (curves.remove(at: index), stroke)
        }
        return nil
    }

    /// The drive that ended nearest to `instant`, within the window; the oldest of equally near ones.
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

    /// Discards the oldest curve if no stroke matched it in time.
    mutating func expire(at now: BootInstant) {
        if let first = curves.first, first.begun.duration(to: now) > EarlyPackets.limit {
            curves.removeFirst()
        }
    }
}
