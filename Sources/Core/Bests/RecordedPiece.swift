import Bytes
import Contract

/// A session's identifier: its gateway and its ULID.
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

/// One session, with the data that bests and training metrics are computed from.
package struct RecordedPiece: Equatable, Sendable {
    package var name: PieceName
    package var machine = MachineKind.rower
    /// Whether the records name the machine; those of older gateways do not.
    package var isMachineRecorded = false
    /// Unix milliseconds.
    package var startedAt: Int64
    /// The event that was set, if it was a single piece over an event.
    package var preset: RankedEvent?
    /// Whether the rower reached the preset end.
    package var isComplete = false
    /// Whether all records are stored and match the gateway's manifest.
    package var isVerified = false
    /// Whether the monitor's own result is the same; nil if the monitor reported none.
    package var agreesWithMonitor: Bool?
    /// Whether part of it is missing: the gateway declared a gap, or a stroke number is absent.
    package var hasGap = false
    /// Seconds between the last stroke before it on this machine and its start; nil if unknown.
    package var secondsBefore: Double?
    /// Hundredths of a second and tenths of a metre of work.
    package var total = WorkPoint(centiseconds: 0, decimetres: 0)
    package var strokeCount = 0
    /// The points at stroke ends, in runs that an effort may lie in. No run contains a gap, a rest or a
    /// clock stop. Made by `RunCutter`.
    package var runs: [[WorkPoint]] = []
    /// The stored strokes, in order.
    package var strokes: [MeasuredStroke] = []
    /// The preset workout and the result of each part; nil if no distance or time was set.
    package var workout: WorkoutResult?
    /// How the session was divided, as the monitor reported it.
    package var structure = PieceStructure(.piece, [])

    package init(name: PieceName, startedAt: Int64) {
        self.name = name
        self.startedAt = startedAt
    }
}

/// Why a piece over an event is not a ranked result.
package enum RankingFault: String, CaseIterable, Sendable {
    case incomplete
    case gap
    /// Records are missing, or differ from the gateway's manifest.
    case notVerified = "not_verified"
    /// The monitor reported another result, or none.
    case monitorDiffers = "monitor_differs"
    case rollingStart = "rolling_start"
}

extension RecordedPiece {
    /// After this time without a stroke the flywheel counts as standing.
    ///
    /// Air slows the flywheel down: its moment of inertia times the change of its speed is the drag factor
    /// times the square of its speed. After a stroke at 2:00/500 m with a drag factor of 120, it has 4 % of
    /// its energy left after 30 s. A start from there gains an eighth of a second at most, about the
    /// monitor's last digit.
    package static let flywheelSeconds = 30.0

    /// Whether the flywheel may still have turned at the start.
    package var beginsRolling: Bool { (secondsBefore ?? .infinity) < Self.flywheelSeconds }

    /// Why it is not ranked; empty for a ranked result of `preset`.
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

/// How a session was divided, for the comparison with a planned workout.
package struct PieceStructure: Equatable, Sendable {
    /// The kind of workout that was set.
    package enum Shape: String, Sendable {
        /// A single piece, or no preset at all.
        case piece
        case intervals
    }

    /// A piece, or an interval without its rest.
    package struct Part: Equatable, Sendable {
        /// Hundredths of a second, and tenths of a metre, of work.
        package var centiseconds: Int64
        package var decimetres: Int64
        /// Nil if the monitor did not report calories.
        package var kilocalories: Int64?

        package init(centiseconds: Int64, decimetres: Int64, kilocalories: Int64? = nil) {
            (self.centiseconds, self.decimetres) = (centiseconds, decimetres)
            self.kilocalories = kilocalories
        }
    }

    package var shape: Shape
    /// In the order in which they were rowed.
    package var parts: [Part]

    package init(_ shape: Shape, _ parts: [Part]) { (self.shape, self.parts) = (shape, parts) }
}

/// A stroke as the monitor measured it, with its duration.
package struct MeasuredStroke: Equatable, Sendable {
    /// Hundredths of a second of work since the previous stroke; nil if a gap, a rest or a clock stop lies
    /// between.
    package var centiseconds: Int64?
    /// Interval number from 1; nil in a single piece, regardless of its splits.
    package var interval: Int?
    /// Mean power of the stroke in watts, as reported by the monitor.
    package var watts: Int?
    /// Strokes per minute.
    package var rate: Int?
    /// Beats per minute.
    package var heartRate: Int?
    /// Drive time in hundredths of a second.
    package var driveCentiseconds: Int64?
    /// End of the stroke in Unix milliseconds; nil if it is not needed.
    package var at: Int64?

    package init(
        centiseconds: Int64? = nil, interval: Int? = nil, watts: Int? = nil, rate: Int? = nil,
        heartRate: Int? = nil, driveCentiseconds: Int64? = nil
    ) {
        (self.centiseconds, self.interval, self.watts) = (centiseconds, interval, watts)
        (self.rate, self.heartRate) = (rate, heartRate)
        self.driveCentiseconds = driveCentiseconds
    }

    /// Reads a record's members; values out of range become nil.
    init(_ fields: JSONObject) {
        func whole(_ name: String, _ limits: ClosedRange<UInt64>) -> Int? {
            fields.number(name).flatMap { limits.contains($0) ? Int($0) : nil }
        }
        watts = whole("power_w", 0...5000)
        rate = whole("stroke_rate_spm", 1...255)
        heartRate = whole("heart_rate_bpm", 1...255)
        interval = whole("interval", 1...1000)
        if let drive = fields.decimal("drive_time_s"), 0 < drive, drive < 10 {
            driveCentiseconds = Int64((drive * 100).rounded())
        }
    }
}
