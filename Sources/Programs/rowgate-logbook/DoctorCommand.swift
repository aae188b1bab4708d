import ArgumentParser
import CommandLineText
import Glibc
import HostRuntime
import Logbook
import LogbookInspection
import LogbookStores
import MQTTClient

/// What is wrong, and what mends it: `rowgate-logbook doctor`.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look for what is wrong, and say what mends it.",
        discussion: """
            Looks at the configuration, the broker, which it asks for what gateways publish, the pages, \
            the store, what the logbook refused since its start, who shares the store and which gateways are whose, what is missing in it, the disk, \
            the clock, and who has tokens. It changes nothing, and the logbook may run. What is inside \
            the store check reads. Run it as the logbook's user or as root.

            Exit status: 0 when all is well, 1 with warnings, 2 with failures.
            """)

    @OptionGroup var place: ConfigurationOption
    @Flag(help: "Print JSON, for programs.") var json = false

    func run() async throws {
        let surroundings = LogbookSurroundings(configurationPath: place.config)
        var facts = LogbookFacts(
            configurationPath: place.config, isClockRight: SystemClock.isSynchronized())
        facts.problems = surroundings.problems
        facts.tokens = surroundings.tokens(unreadable: { .unreadable($0) }) {
            .held(path: $0, count: $1, coaches: $2, mode: $3)
        }
        facts.errands = surroundings.errands.map { errands in
            Result { () throws(ErrandFile.Fault) in try errands.read() }
        }
        if let listen = surroundings.listen {
            facts.pages = .init(
                address: listen.description, isServed: listen.isServed, isOpen: listen.isOpen)
        }
        if let broker = surroundings.broker {
            let trial = BrokerTrial(hearing: surroundings.filter, broker)
            facts.broker = .init(
                address: broker.address, filter: surroundings.filter,
                outcome: await trial.run(over: ConnectionProcess.connector))
        }
        facts.running = surroundings.health.flatMap(RunningLogbook.init(health:))
        if let store = surroundings.store { look(at: store, &facts) }
        let checkup = LogbookCheckup(facts)
        if json {
            _ = writeAll((checkup.json + "\n").utf8, to: STDOUT_FILENO)
        } else {
            StoreOptions.write(checkup.findings.styled)
        }
        throw ExitCode(checkup.verdict.exitStatus)
    }

    private func look(at address: StoreAddress, _ facts: inout LogbookFacts) {
        if case .sqlite(let path) = address { facts.disk = LogbookFacts.Disk(of: path) }
        do throws(StoreFailure) {
            let store = try address.open(for: .looking)
            defer { store.close() }
            facts.store = .read(
                place: store.place, try store.size(), try GatewayAccount.all(in: store))
            facts.sharers = try store.sharers()
        } catch { facts.store = .failed(error) }
    }
}

extension LogbookFacts.Disk {
    /// nil where the folder is not there, which the store says better.
    fileprivate init?(of path: String) {
        var system = statvfs()
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        guard statvfs(folder.isEmpty ? "/" : folder, &system) == 0 else { return nil }
        self.init(
            path: path, freeBytes: Int(clamping: UInt64(system.f_bavail) * UInt64(system.f_frsize)),
            isReadOnly: system.f_flag & UInt(ST_RDONLY) != 0)
    }
}
