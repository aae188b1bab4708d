import BlueZLink
import Contract
import HostRuntime
import MQTTClient
import PM5Codec
import Settings

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
        let relayed = ergs.filter(\.isRelayed)
        let adapters = bluetooth.relayAdapters.map(RelayAdapter.init)
        room.rules.relayAdapters = Set(adapters)
        room.relays = adapters.enumerated().map { index, adapter in
            RelayConfiguration(
                adapter: adapter, serial: index < relayed.count ? relayed[index].serial : nil,
                makesFitnessMachine: bluetooth.relaysFitnessMachine)
        }
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

/// Settings that refer to files, which the configuration alone cannot check.
extension Configuration {
    /// Reads the password and checks the files for TLS. Throws all problems with them, each with
    /// its setting.
    ///
    /// - Parameter credentialsDirectory: the folder of files given without a path.
    func brokerConfiguration(
        credentialsDirectory: String?
    ) throws(InvalidConfiguration) -> BrokerConfiguration {
        try broker.configuration(credentialsDirectory: credentialsDirectory, settings: settings)
    }

    /// Returns the problems of the files that can be checked now, and the settings whose files
    /// cannot.
    func fileProblems(
        credentialsDirectory: String?
    ) -> (problems: [ConfigurationProblem], unchecked: [String]) {
        broker.fileProblems(credentialsDirectory: credentialsDirectory, settings: settings)
    }
}

extension Configuration {
    /// A file in the folder of the ring.
    func stateFile(_ name: String) -> StateFile {
        let slash = ring.path.lastIndex(of: "/") ?? ring.path.startIndex
        return StateFile(path: "\(ring.path[..<slash])/\(name)")
    }
}
