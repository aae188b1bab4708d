import Contract

/// How the previous process on this ring ended, and therefore which numbers it may have assigned
/// beyond those in the ring.
enum PreviousStop: Equatable {
    /// There was no previous process.
    case newRing
    /// It closed the ring, which holds every assigned number.
    case inOrder
    /// It died on this boot. The last assigned numbers are known.
    case killed(highWater: RecorderState, tornBytes: UInt64)
    /// The last assigned numbers are unknown: a power cut, another end of the boot, or no place to
    /// store them.
    case powerCut(tornBytes: UInt64)

    /// The event published about it; nil if nothing can be missing.
    var declaration: GatewayEvent? {
        switch self {
        case .newRing, .inOrder: nil
        case .killed(_, let tornBytes), .powerCut(let tornBytes):
            .ringRecovered(droppedBytes: tornBytes, reason: "the log was not closed in order")
        }
    }

    /// Description for the log.
    var description: String {
        switch self {
        case .newRing: "it is new"
        case .inOrder: "the last stop was in order"
        case .killed: "rowgate was killed before"
        case .powerCut: "the last stop was a power cut or is unknown"
        }
    }
}
