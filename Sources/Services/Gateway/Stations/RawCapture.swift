import Contract
import PM5Codec
import Recording
import Rowing
import Timeline

/// Raw values of one erg, if the configuration wants them stored. In a session, those since the last update to the
/// recorder; else those of the last seconds, for a session that may begin.
struct RawCapture {
    private let isWanted: Bool
    private var values = RawRecording()
    private var window = RawWindow()
    /// Whether the stored values name their monitor.
    private var isIdentityStored = false

    init(isWanted: Bool) { self.isWanted = isWanted }

    var isEmpty: Bool { values.isEmpty }

    mutating func append(
        _ value: UnsafeRawBufferPointer, of characteristic: CharacteristicID, station: StationID,
        at now: BootInstant
    ) {
        if isWanted { values.append(value, of: characteristic, station: station, at: now) }
    }

    /// Whether values of now are stored, and not only held for a session that may begin.
    mutating func isStored(during activity: ActivityState, at now: BootInstant) -> Bool {
        isWanted && window.isOpen(during: activity, at: now)
    }

    /// Drops values that are too old to belong to the next session.
    mutating func dropOld(at now: BootInstant) {
        values.drop(before: now.advanced(by: .zero - RawWindow.leadIn))
        isIdentityStored = false
    }

    /// The next stored values begin with the monitor's identity: another link, or values were missing.
    mutating func requireIdentity() { isIdentityStored = false }

    /// Returns the values since the last call, preceded by the monitor's identity if it is not stored yet.
    mutating func drain(
        of station: StationID, _ identity: MonitorIdentity?, at now: BootInstant
    ) -> RawRecording {
        var recording = RawRecording()
        if !isIdentityStored, let identity {
            isIdentityStored = true
            recording = identity.recording(of: station, at: values.begun ?? now)
        }
        recording.append(values)
        values = RawRecording()
        return recording
    }
}

extension MonitorIdentity {
    /// The monitor's identity as raw values, as if it had just been read.
    fileprivate func recording(of station: StationID, at now: BootInstant) -> RawRecording {
        var recording = RawRecording()
        if let bytes = DeviceInformation.bytes(serial, for: .serialNumber) {
            bytes.withUnsafeBytes {
                recording.append($0, of: .serialNumber, station: station, at: now)
            }
        }
        if let machineType {
            [machineType.rawValue].withUnsafeBytes {
                recording.append($0, of: .ergMachineType, station: station, at: now)
            }
        }
        return recording
    }
}
