import BlueZLink
import Contract
import Insights
import Publishing
import Recording
import Settings

/// What the administrator decided: `/etc/rowgate/rowgate.toml` and its drop-ins, checked.
///
/// Every key with its meaning, unit, range and default stands in `config/rowgate.toml`; a value
/// that is here satisfies them.
package struct Configuration: Equatable, Sendable {
    /// PM5s that one gateway holds at most.
    package static let maximumErgs = 8

    /// Section `[gateway]`: which room this is.
    package struct Gateway: Equatable, Sendable {
        /// A slug, and the `{gw}` of every topic: unique among the gateways of a broker.
        package var id: String
    }

    package typealias Broker = BrokerSettings

    /// Section `[bluetooth]`: through which adapters, to which monitors.
    package struct Bluetooth: Equatable, Sendable {
        /// Which monitors are connected.
        package enum Discovery: String, CaseIterable, Sendable {
            /// Only the monitors that an `[[erg]]` names.
            case listed
            /// Every PM5 in range, up to `limit`.
            case any
        }

        /// Upper case, in the order of preference; empty for every adapter there is.
        package var adapters: [String]
        /// Links that one adapter holds at most; nil to learn it from its failures.
        package var slots: Int?
        /// How often a PM5 sends its general status: 1000, 500, 250 or 100 ms.
        package var sampleRate: Duration
        package var carrier: NotificationCarrier
        package var discovery: Discovery
        /// PM5s to hold at most, 1 to 8.
        package var limit: Int
        /// dBm; `any` leaves weaker monitors alone.
        package var weakestSignal: Int
        /// Without use, after which a link is given up; nil for never.
        package var idleBeforeRelease: Duration?
        /// How long it is left alone then while it goes on advertising.
        package var releaseHold: Duration
        /// Whether bluetooth.service may be restarted when an adapter hangs.
        package var mayRestartService: Bool
    }

    /// One `[[erg]]`: a place and the monitor that stands there.
    package struct Erg: Equatable, Sendable {
        /// The place in the room, and the `{erg}` of its topics.
        package var slug: String
        /// Nine digits.
        package var serial: String
        /// The room's, unless the erg has its own.
        package var carrier = NotificationCarrier.automatic
        /// The room's, unless the erg has its own.
        package var alerts = AlertSettings()
    }

    package typealias Ring = RingSettings

    /// Section `[athletes]`: what is told of the people who row.
    package struct Athletes: Equatable, Sendable {
        /// nil without one: any slug may be assigned then.
        package var rosterPath: String?
        /// Whether names stand in the retained `state`.
        package var publishesNames: Bool
    }

    /// The least important messages that reach the journal.
    package enum LogLevel: String, CaseIterable, Sendable {
        case error, warning, notice, info, debug
    }

    package var gateway: Gateway
    package var broker: Broker
    package var bluetooth: Bluetooth
    /// In file order; slugs and serials are unique.
    package var ergs: [Erg]
    /// In file order; names are unique.
    package var workouts: [NamedWorkout]
    /// In file order; names are unique.
    package var crews: [Crew]
    package var ring: Ring
    /// The path of the socket that rowgatectl asks.
    package var controlSocket: String
    /// Time between two live messages of an erg, 250 to 1000 ms.
    package var liveInterval: Duration
    package var commands: AllowedCommands
    /// What a coach is told of while it happens.
    package var alerts: AlertSettings
    package var homeAssistantDiscovery: HomeAssistantBridge.Discovery
    package var athletes: Athletes
    /// The file of `athletes`, read when the configuration was loaded.
    package var roster: AthleteRoster?
    package var logLevel: LogLevel

    /// What is allowed, and probably not meant.
    package var warnings: [ConfigurationProblem]
    /// Every value with its origin, for `--print-config`.
    package var settings: [ConfigurationSetting]
}
