import Contract

/// How the process that had the ring before came to its end, and so which numbers it may have given
/// out beyond those that the ring holds.
enum PreviousStop: Equatable {
    /// There was no such process.
    case newRing
    /// It closed the ring: every number that it gave out is in there.
    case inOrder
    /// It died on this boot. How far its numbers had gone is known.
    case killed(highWater: RecorderState, tornBytes: UInt64)
    /// Nothing tells how far its numbers had gone: the power failed, or whatever else ended the
    /// boot, or there was no place to note them.
    case powerCut(tornBytes: UInt64)

    /// What subscribers are told of it; nil where nothing can be missing.
    var declaration: GatewayEvent? {
        switch self {
        case .newRing, .inOrder: nil
        case .killed(_, let tornBytes), .powerCut(let tornBytes):
            .ringRecovered(droppedBytes: tornBytes, reason: "the log was not closed in order")
        }
    }

    /// For the log.
    var words: String {
        switch self {
        case .newRing: "it is new"
        case .inOrder: "the last stop was in order"
        case .killed: "rowgate was killed before"
        case .powerCut: "the power failed before, or nobody knows how rowgate ended"
        }
    }
}
