import Contract
import Insights
import Synchronization

/// Alert limits of the roster's athletes, wherever they are assigned. A reload changes them.
final class AthleteAlertLimits: Sendable {
    private let athletes: Mutex<[String: AlertSettings]>
    private let registry: StationRegistry

    init(_ roster: AthleteRoster?, _ registry: StationRegistry) {
        athletes = Mutex(roster?.limits ?? [:])
        self.registry = registry
    }

    /// Applies another roster; the assignments are reported again afterwards.
    func replace(by roster: AthleteRoster?) {
        athletes.withLock { $0 = roster?.limits ?? [:] }
    }

    /// Applies the limits of the assigned athlete to an erg. Never waits.
    func applyLimits(of athlete: String?, to station: StationID) {
        let own = athlete.flatMap { athlete in athletes.withLock { $0[athlete] } }
        registry.pipeline(of: station)?.later { $0.applyLimits(own ?? AlertSettings()) }
    }
}
