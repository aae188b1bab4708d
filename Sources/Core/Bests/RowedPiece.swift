import Contract

/// A session, as the gateway that recorded it names it.
package struct PieceName: Hashable, Comparable, Sendable {
    package let gateway: GatewayID
    /// Its ULID.
    package let session: String

    package init(gateway: GatewayID, session: String) {
        self.gateway = gateway
        self.session = session
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.session, left.gateway.slug) < (right.session, right.gateway.slug)
    }
}

/// What insights need of one session.
package struct RowedPiece: Equatable, Sendable {
    package var name: PieceName
    package var machine = MachineKind.rower
    /// Unix milliseconds.
    package var startedAt: Int64
    /// What was set, where that is a single piece over an event.
    package var preset: RankedEvent?
    /// Whether the end that was set was reached.
    package var isComplete = false
    /// Whether all its records are here and are what the gateway recorded.
    package var isVerified = false
    /// Whether the monitor's own result is the same; nil where it told none.
    package var agreesWithMonitor: Bool?
    /// Whether the gateway, or this logbook, lacks anything of it.
    package var hasGap = false
    /// Seconds since the last stroke at this machine before it; nil where none is known of.
    package var secondsBefore: Double?
    /// Hundredths of a second and tenths of a metre of work.
    package var total = RowedPoint(centiseconds: 0, decimetres: 0)
    package var strokes = 0
    /// Points without a gap, a rest or a stop of the clock between them.
    package var runs: [[RowedPoint]] = []
    /// Its strokes that are here, in order.
    package var rowed: [RowedStroke] = []
    /// What it was made of, as the monitor tells it.
    package var work = RowedWork(.piece, [])

    package init(name: PieceName, startedAt: Int64) {
        self.name = name
        self.startedAt = startedAt
    }
}

/// Why a piece over an event is no ranked result.
package enum RankingFault: String, CaseIterable, Sendable {
    case incomplete
    case gap
    /// Records are missing, or not what the gateway's manifest says.
    case notVerified = "not_verified"
    /// The monitor told another result, or none.
    case monitorDiffers = "monitor_differs"
    case rollingStart = "rolling_start"
}

extension RowedPiece {
    /// So long after a stroke a flywheel counts as standing. It slows down by I dw/dt = -k w^2: from
    /// 2:00 a 500 m at a drag factor of 120 it has 4 % of its energy left then, which saves whoever
    /// begins with it an eighth of a second; the monitor shows tenths.
    package static let flywheelSeconds = 30.0

    /// Whether a flywheel may still have turned when it began.
    package var beginsRolling: Bool { (secondsBefore ?? .infinity) < Self.flywheelSeconds }

    /// Why it is not ranked; empty for a ranked result of its `preset`.
    package var rankingFaults: [RankingFault] {
        var faults: [RankingFault] = []
        if !isComplete { faults.append(.incomplete) }
        if hasGap { faults.append(.gap) }
        if !isVerified { faults.append(.notVerified) }
        if agreesWithMonitor != true { faults.append(.monitorDiffers) }
        if beginsRolling { faults.append(.rollingStart) }
        return faults
    }
}
