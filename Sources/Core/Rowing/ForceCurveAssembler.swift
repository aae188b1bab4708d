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
