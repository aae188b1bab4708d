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

/// One session, as bests and training figures need it.
package struct RowedPiece: Equatable, Sendable {
    package var name: PieceName
    package var machine = MachineKind.rower
    /// Whether its records name the machine; those of older gateways do not.
    package var isMachineRecorded = false
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
    /// Whether something is missing in the middle: the gateway declared a gap, or a record of it is not
    /// here.
    package var hasGap = false
    /// Seconds since the last stroke at this machine before it; nil where none is known of.
    package var secondsBefore: Double?
    /// Hundredths of a second and tenths of a metre of work.
    package var total = RowedPoint(centiseconds: 0, decimetres: 0)
    package var strokes = 0
    /// Where it was at the end of each stroke, in stretches that a best effort may lie in: none has a gap, a
    /// rest or a stop of the clock in it. `RunCutter` makes them.
    package var runs: [[RowedPoint]] = []
    /// Its strokes that are here, in order.
    package var rowed: [RowedStroke] = []
    /// What it was set to, part by part; nil where that is no distance and no time.
    package var workout: RowedWorkout?
    /// What it was made of, as the monitor tells it.
    package var madeOf = PieceParts(.piece, [])

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
    /// So long after a stroke a flywheel counts as standing.
    ///
    /// Air slows it down: its moment of inertia times the change of its speed is the drag factor times
    /// the square of its speed. After a stroke at 2:00/500 m and a drag factor of 120 it has 4 % of its
    /// energy left after 30 s. Who begins then gains an eighth of a second at most, about what the
    /// monitor's last digit shows.
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
