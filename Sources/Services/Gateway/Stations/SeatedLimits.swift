import Contract
import Insights
import Synchronization

/// What the roster's athletes are held against, wherever they sit. A reload changes it.
final class SeatedLimits: Sendable {
    private let athletes: Mutex<[String: AlertSettings]>
    private let registry: StationRegistry

    init(_ roster: AthleteRoster?, _ registry: StationRegistry) {
        athletes = Mutex(roster?.limits ?? [:])
        self.registry = registry
    }

    /// Another roster is in force; who sits where is told again behind it.
    func replace(by roster: AthleteRoster?) {
        athletes.withLock { $0 = roster?.limits ?? [:] }
    }

    /// Has an erg hold to what its athlete is held against. Never waits.
    func seat(_ athlete: String?, at station: StationID) {
        let own = athlete.flatMap { athlete in athletes.withLock { $0[athlete] } }
        registry.pipeline(of: station)?.later { $0.hold(to: own ?? AlertSettings()) }
    }
}
