import BlueZLink
import HostRuntime
import PM5Codec

// The configuration, converted to the types of the adapters.

extension Configuration.Bluetooth {
    fileprivate func room(roster: Roster, seed: UInt64) -> RoomLinkConfiguration {
        var room = RoomLinkConfiguration(roster: roster)
        room.rules.adapters = Set(adapters.map { $0.uppercased() })
        room.rules.slotsPerAdapter = slots
        room.sampleRate = rate
        room.carrier = carrier
        room.seed = seed
        room.rules.weakestSignal = weakestSignal
        room.rules.mayRestartService = mayRestartService
        room.rules.idleRelease = idleBeforeRelease.map { IdleRelease(after: $0, hold: releaseHold) }
        return room
    }

    var rate: SampleRate {
        switch sampleRate {
        case .milliseconds(1000): .every1000Milliseconds
        case .milliseconds(250): .every250Milliseconds
        case .milliseconds(100): .every100Milliseconds
        default: .every500Milliseconds
        }
    }
}

extension Configuration {
    /// The room for its links.
    func room(roster: Roster, seed: UInt64) -> RoomLinkConfiguration {
        var room = bluetooth.room(roster: roster, seed: seed)
        for erg in ergs { room.carriers[erg.serial] = erg.carrier }
        return room
    }
}

extension Configuration.LogLevel {
    var threshold: SystemLog.Priority {
        switch self {
        case .error: .error
        case .warning: .warning
        case .notice: .notice
        case .info: .info
        case .debug: .debug
        }
    }
}
