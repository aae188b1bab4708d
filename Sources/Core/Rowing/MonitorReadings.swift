import PM5Codec

/// What the monitor said last, on the present link unless noted.
struct MonitorReadings {
    private(set) var status: GeneralStatus?
    private(set) var status1: AdditionalStatus1?
    private(set) var status2: AdditionalStatus2?
    /// What it is mounted on, as far as this link has told: between links it may be moved.
    private(set) var machine: ErgMachineType?
    /// What the last status of any link meant for a session.
    private(set) var phase = PiecePhase.waiting
    /// The monitor's time before it last went back to 0.
    private(set) var elapsedBeforeReset: UInt32 = 0
    private var drag = DragFilter()
    /// Figures of the last status that count as not known because no machine has them.
    private(set) var implausibleValues = 0

    /// A drop of the elapsed time by more than this is the beginning of another interval or piece.
    private static let resetCentiseconds: UInt32 = 500

    /// Gives back what the status means for a session.
    mutating func take(_ packet: GeneralStatus) -> PiecePhase {
        if let status,
            packet.elapsedCentiseconds + Self.resetCentiseconds < status.elapsedCentiseconds
        {
            elapsedBeforeReset = status.elapsedCentiseconds
        }
        status = packet
        implausibleValues += drag.take(packet.knownDragFactor) ? 0 : 1
        let next = packet.phase
        if next != .unchanged { phase = next }
        return next
    }

    mutating func take(_ packet: AdditionalStatus1) {
        status1 = packet
        if packet.knownStrokeRatePerMinute == nil { implausibleValues += 1 }
        note(packet.ergMachineType)
    }

    mutating func take(_ packet: AdditionalStatus2) { status2 = packet }

    mutating func note(_ type: ErgMachineType?) { machine = type ?? machine }

    mutating func resume(_ machine: ErgMachineType?, _ phase: PiecePhase) {
        (self.machine, self.phase) = (machine, phase)
    }

    mutating func closeLink() {
        (status, status1, status2, machine) = (nil, nil, nil, nil)
        drag = DragFilter()
    }

    /// Of the last status; nil until it has been measured in this interval, and where the monitor jumps
    /// to and fro.
    var dragFactor: UInt8? { drag.known }
}

/// Finds drag factors that no machine has: a damper is moved to another place, and stays there.
///
/// A monitor was seen sending 227 in every other status. A value far from the last known one, or
/// outside what is usual, is known when the next status confirms it.
struct DragFilter {
    /// Of air from an open to a closed damper.
    private static let usual: ClosedRange<UInt8> = 50...215
    /// From one stroke to the next, with the damper where it is.
    private static let mostChange = 15

    private(set) var known: UInt8?
    private var last: UInt8?
    /// The last known one, also while a new one is not confirmed.
    private var accepted: UInt8?

    /// Takes the value of a status; nil where it has none. False for one that counts as not known.
    mutating func take(_ value: UInt8?) -> Bool {
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
