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

/// Rejects drag factors that no machine has. A damper is moved once and then stays there.
///
/// A monitor was seen sending 227 in every other status. A value far from the last known one, or outside
/// the usual range, counts only when the next status confirms it.
struct DragFilter {
    /// Of air machines, from a closed to an open damper.
    private static let usual: ClosedRange<UInt8> = 50...215
    /// The largest change between strokes at the same damper setting.
    private static let mostChange = 15

    private(set) var known: UInt8?
    private var last: UInt8?
    /// The last known value, also while a new one is not confirmed.
    private var accepted: UInt8?

    /// Handles the value of a status; nil if it has none. Returns false for an implausible value.
    mutating func accept(_ value: UInt8?) -> Bool {
        defer { last = value ?? last }
        guard let value else {
            known = nil
            return true
        }
        let isConfirmed = last.map { Self.isNear($0, value) } ?? false
        let isExpected =
            accepted.map { Self.isNear($0, value) } ?? Self.usual.contains(value)
        guard isConfirmed || isExpected else {
            known = nil
            return false
        }
        (known, accepted) = (value, value)
        return true
    }

    private static func isNear(_ one: UInt8, _ other: UInt8) -> Bool {
        abs(Int(one) - Int(other)) <= mostChange
    }
}
