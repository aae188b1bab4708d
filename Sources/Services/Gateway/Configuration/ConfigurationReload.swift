import Contract
import ControlSocket
import Insights
import PM5Codec
import Recording
import Settings
import Synchronization

/// Compares a changed configuration with the running one: the keys that differ, by whether they can
/// be applied without a restart.
struct ConfigurationReload: Equatable {
    /// Applied at once, as `section.key`.
    private(set) var applied: [String] = []
    private(set) var needRestart: [String] = []

    /// Whether a key is applied while the daemon runs; its value is read each time.
    private static func isLive(_ key: String) -> Bool {
        [
            "commands.enabled", "commands.forget", "athletes.roster", "athletes.publish_names",
        ].contains(key)
            || key.hasPrefix("workout[")
    }

    /// - Parameter inForce: as returned by `values`; applied keys are updated in it.
    init(to new: Configuration, inForce: inout [String: String]) {
        let after = Self.values(new)
        for key in Set(inForce.keys).union(after.keys).sorted() where inForce[key] != after[key] {
            guard Self.isLive(key) else {
                needRestart.append(key)
                continue
            }
            applied.append(key)
            inForce[key] = after[key]
        }
    }

    /// Every key with its value in TOML, as `section.key`.
    static func values(_ configuration: Configuration) -> [String: String] {
        var values = Dictionary(
            configuration.settings.map { ("\($0.section).\($0.key)", $0.value ?? "") },
            uniquingKeysWith: { $1 })
        // The content of the file may change while its name stays.
        values["athletes.roster"]? += "\(configuration.roster?.athletes ?? [])"
        return values
    }

    var outcome: CommandOutcome {
        let words =
            switch (applied.isEmpty, needRestart.isEmpty) {
            case (true, true): "nothing has changed"
            case (false, true): "in force"
            case (_, false): "restart rowgate for \(needRestart.joined(separator: ", "))"
            }
        return CommandOutcome(
            .done, words, .reload(applied: applied, needRestart: needRestart))
    }
}

/// The current configuration, which a command can reload.
final class CurrentConfiguration: Sendable {
    private let values: Mutex<[String: String]>
    private let path: String
    let center = Mutex<CommandCenter?>(nil)

    init(_ configuration: Configuration, path: String) {
        values = Mutex(ConfigurationReload.values(configuration))
        self.path = path
    }

    func reloading(_ observer: GatewayObserver) -> @Sendable () async -> CommandOutcome {
        {
            let new: Configuration
            do throws(InvalidConfiguration) {
                new = try Configuration.load(from: self.path)
            } catch {
                let first = error.problems.first.map { "\($0)" } ?? "it is invalid"
                return CommandOutcome(.badConfiguration, "the current configuration is unchanged: \(first)")
            }
            let change = self.values.withLock { ConfigurationReload(to: new, inForce: &$0) }
            await self.center.withLock { $0 }?.apply(allowed: new.commands, workouts: new.workouts)
            observer.publish(new.workouts)
            await observer.athletes.configure(
                new, replacesAssignments: change.applied.contains("athletes.roster"))
            await observer.recorder.record(.configurationReloaded)
            return change.outcome
        }
    }
}
