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
        let next = packet.phase
        if next != .unchanged { phase = next }
        return next
    }

    mutating func take(_ packet: AdditionalStatus1) {
        status1 = packet
        note(packet.ergMachineType)
    }

    mutating func take(_ packet: AdditionalStatus2) { status2 = packet }

    mutating func note(_ type: ErgMachineType?) { machine = type ?? machine }

    mutating func resume(_ machine: ErgMachineType?, _ phase: PiecePhase) {
        (self.machine, self.phase) = (machine, phase)
    }

    mutating func closeLink() { (status, status1, status2, machine) = (nil, nil, nil, nil) }
}
