import PM5Codec

/// The latest values of the monitor, on the current link unless noted.
struct MonitorReadings {
    private(set) var status: GeneralStatus?
    private(set) var status1: AdditionalStatus1?
    private(set) var status2: AdditionalStatus2?
    /// The machine, if reported on this link. A monitor may be moved between links.
    private(set) var machine: ErgMachineType?
    /// The phase in the last status of any link.
    private(set) var phase = PiecePhase.waiting
    /// The monitor's time before its last reset to 0.
    private(set) var elapsedBeforeReset: UInt32 = 0
    private var drag = DragFilter()
    /// Values in statuses that no machine can have.
    private(set) var implausibleValues = 0

    /// A larger drop of the elapsed time means another interval or piece.
    private static let resetCentiseconds: UInt32 = 500

    /// Stores the status and returns its phase.
    mutating func update(with packet: GeneralStatus) -> PiecePhase {
        if let status,
            packet.elapsedCentiseconds + Self.resetCentiseconds < status.elapsedCentiseconds
        {
            elapsedBeforeReset = status.elapsedCentiseconds
        }
        status = packet
        implausibleValues += drag.accept(packet.knownDragFactor) ? 0 : 1
        let next = packet.phase
        if next != .unchanged { phase = next }
        return next
    }

    mutating func update(with packet: AdditionalStatus1) {
        status1 = packet
        if packet.knownStrokeRatePerMinute == nil { implausibleValues += 1 }
        note(packet.ergMachineType)
    }

    mutating func update(with packet: AdditionalStatus2) { status2 = packet }

    mutating func note(_ type: ErgMachineType?) { machine = type ?? machine }

    mutating func resume(_ machine: ErgMachineType?, _ phase: PiecePhase) {
        (self.machine, self.phase) = (machine, phase)
    }

    mutating func closeLink() {
        (status, status1, status2, machine) = (nil, nil, nil, nil)
        drag = DragFilter()
    }

    /// Of the last status; nil until measured in this interval, and while the values jump.
    var dragFactor: UInt8? { drag.known }
}

/// Detects noise that happens to have the right length. Such packets are counted and dropped, because they
/// could disrupt a session.
///
/// Checks whole packets; the codec checks single values (`known...`). Changes nothing.
extension MonitorReadings {
    /// Packets of one moment differ by less than this in the monitor's time.
    private static let spreadCentiseconds: Int64 = 3000

    /// - Parameter silence: time since the newest status, while the monitor's time went on.
    func isPlausible(_ notification: Notification, after silence: Duration) -> Bool {
        func fits(_ elapsed: UInt32) -> Bool { self.fits(elapsed, after: silence) }
        return switch notification {
        case .generalStatus(let packet): Self.isPlausible(packet)
        case .additionalStatus1(let packet): fits(packet.elapsedCentiseconds)
        case .additionalStatus2(let packet): fits(packet.elapsedCentiseconds)
        case .strokeData(let packet): fits(packet.elapsedCentiseconds)
        case .additionalStrokeData(let packet): fits(packet.elapsedCentiseconds)
        case .splitData(let packet): fits(packet.elapsedCentiseconds)
        case .additionalSplitData(let packet): fits(packet.elapsedCentiseconds)
        case .additionalStatus3, .sampleRate, .workoutSummary, .additionalWorkoutSummary,
            .heartRateBelt, .workoutSummary2, .forceCurvePiece, .loggedWorkout, .heartRateInput:
            true
        }
    }

    /// New firmware may add a value to one enumeration; random bytes are unknown in most of the six.
    private static func isPlausible(_ packet: GeneralStatus) -> Bool {
        var unknown = 0
        if case .unrecognized = packet.workoutType { unknown += 1 }
        if case .unrecognized = packet.intervalType { unknown += 1 }
        if case .unrecognized = packet.workoutState { unknown += 1 }
        if case .unrecognized = packet.rowingState { unknown += 1 }
        if case .unrecognized = packet.strokeState { unknown += 1 }
        if case .unrecognized = packet.durationType { unknown += 1 }
        return unknown < 2
    }

    /// Whether a packet's time is near that of the newest status, of the one before its last reset, or near
    /// 0. Before the first status of a link every time fits.
    private func fits(_ elapsedCentiseconds: UInt32, after silence: Duration) -> Bool {
        guard let status else { return true }
        let most = Self.spreadCentiseconds + max(0, silence.wholeMilliseconds / 10)
        let anchors = [status.elapsedCentiseconds, elapsedBeforeReset, 0]
        return anchors.contains {
            (-Self.spreadCentiseconds...most).contains(Int64(elapsedCentiseconds) - Int64($0))
        }
    }
}

/// Counts the values of a monitor over all its links since the daemon started, and the unusable ones among them.
package struct NotificationCounters: Equatable, Sendable {
    /// All values, decodable or not.
    package var received = 0
    /// Shorter than the shortest documented layout.
    package var truncated = 0
    /// No decoder for the characteristic, or for the identifier inside 0x0080.
    package var unknown = 0
    /// Of the right length, with content that no working monitor sends.
    package var implausible = 0
    /// Single implausible values in packets that are otherwise used: a rate of 200 strokes a minute, a drag
    /// factor that jumps.
    package internal(set) var implausibleValues = 0
    /// Longer than the longest documented layout; read as far as it is known.
    package var extended = 0
    /// Stroke and split packets without new content.
    package var duplicates = 0
    /// Summaries without a result: distance 0 or an invalid pace.
    package var junkSummaries = 0
    /// Packets of strokes, splits and summaries without a known session.
    package var strayPackets = 0

    /// Values that could not be used.
    package var unusable: Int { truncated + unknown + implausible }

    /// The counters as log text.
    package var logText: String {
        "\(received) values received: \(unusable) unusable, \(extended) longer than known, "
            + "\(duplicates) duplicates, \(junkSummaries) empty summaries, "
            + "\(strayPackets) without a session, \(implausibleValues) implausible values"
    }
}

/// The result of processing a packet of a session.
enum PacketOutcome {
    case accepted
    /// It had no new content.
    case duplicate
    /// A summary without a result.
    case junk
    /// It belongs to no known session.
    case stray
}
