import PM5Codec
import Timeline

/// A force curve that has come to its end, not yet joined to a stroke.
struct AssembledCurve {
    /// When its first piece arrived: shortly after the end of the drive.
    let begun: BootInstant
    let isComplete: Bool
    let poundsForce: [UInt16]
}

/// Collects the pieces of 0x003D into curves.
struct ForceCurveAssembler {
    /// Pieces follow each other within a few connection intervals; a second is a loss.
    static let pieceLimit = Duration.seconds(1)

    private var samples: [UInt16] = []
    private var begun = BootInstant(nanoseconds: 0)
    private var lastPiece = BootInstant(nanoseconds: 0)
    private var pieceCount: UInt8 = 0
    private var nextSequence: UInt8 = 0
    private var isWhole = true
    private var isCollecting = false

    init() {
        // Fifteen pieces of fifteen words, so that collecting never allocates.
        samples.reserveCapacity(15 * ForceSamples.capacity)
    }

    /// Takes a piece in; gives back the curve that it ends, whole or not.
    ///
    /// A piece that begins a curve ends the one before it; when it is also a whole curve of its
    /// own, that one comes out with the next call of `receive` or `expire`.
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
        // By index: iterating over a collection of another module allocates for each element.
        for index in 0..<piece.samples.count {
            samples.append(UInt16(clamping: piece.samples[index]))
        }
        return cut ?? (isAtEnd ? end() : nil)
    }

    /// Gives back a curve whose last pieces are not coming any more.
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
        // A true copy, so that the buffer stays ours alone and the next curve need not allocate it.
        let copy = samples.withUnsafeBufferPointer { Array($0) }
        return AssembledCurve(
            begun: begun, isComplete: isWhole && nextSequence == pieceCount, poundsForce: copy)
    }
}

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

    /// Lets go of curves that no stroke came for; gives back how many.
    mutating func expire(at now: BootInstant) -> Int {
        guard let first = curves.first,
            first.begun.duration(to: now) > StrokeAssembler.startLimit
        else { return 0 }
        curves.removeFirst()
        return 1
    }
}
