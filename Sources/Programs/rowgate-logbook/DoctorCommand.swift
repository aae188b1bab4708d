import ArgumentParser
import CommandLineText
import Glibc
import HostRuntime
import Logbook
import LogbookInspection
import LogbookStores
import MQTTClient

/// Finds problems and suggests fixes: `rowgate-logbook doctor`.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find problems and suggest fixes.",
        discussion: """
            Checks the configuration, the subscription at the broker, the pages, the store and its owners, \
            missing and refused records, the disk, the clock, the tokens and erasure requests. It changes \
            nothing, and the logbook may run. Use check to verify the records themselves. Run it as the \
            logbook's user or as root.

            Exit status: 0 no problems, 1 with warnings, 2 with failures.
            """)

    @OptionGroup var configurationOption: ConfigurationOption
    @Flag(help: "Print JSON.") var json = false

    func run() async throws {
        let configured = ConfiguredLogbook(configurationPath: configurationOption.config)
        var facts = LogbookFacts(
            configurationPath: configurationOption.config, isClockRight: SystemClock.isSynchronized())
        facts.problems = configured.problems
        facts.tokens = configured.tokens(
            unreadable: { .unreadable($0) },
            held: { .held(path: $0, count: $1, coaches: $2, mode: $3) })
        facts.erasureRequests = configured.erasureRequests.map { erasureRequests in
            Result { () throws(ErasureRequestFile.Fault) in try erasureRequests.read() }
        }
        if let listen = configured.listen {
            facts.pages = .init(
                address: listen.description, isServed: listen.isServed, isOpen: listen.isOpen)
        }
        facts.topicPrefix = configured.topicPrefix
        if let broker = configured.broker {
            let filter = configured.topicPrefix.filter(of: nil)
            let trial = BrokerTrial(subscribingTo: filter, broker)
            facts.broker = .init(
                address: broker.address, filter: filter,
                outcome: await trial.run(over: ConnectionProcess.connector))
        }
        facts.running = configured.health.flatMap(RunningLogbook.init(health:))
        if let store = configured.store { look(at: store, &facts) }
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
            let store = try address.open(for: .readOnly)
            defer { store.close() }
            facts.store = .read(
                place: store.place, try store.size(), try GatewaySummary.all(in: store))
            facts.sharers = try store.sharers()
            if facts.isClockRight {
                facts.disk?.bytesPerYear = try store.bytesPerYear(at: SystemClock.unixMilliseconds())
            }
            facts.signedInCoaches = try UserRepository.signedInCoaches(in: store)
        } catch { facts.store = .failed(error) }
    }
}

extension LogbookFacts.Disk {
    /// nil if the folder does not exist; the store reports that better.
    fileprivate init?(of path: String) {
        var system = statvfs()
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
        guard statvfs(folder.isEmpty ? "/" : folder, &system) == 0 else { return nil }
        self.init(
            path: path, freeBytes: Int(clamping: UInt64(system.f_bavail) * UInt64(system.f_frsize)),
            isReadOnly: system.f_flag & UInt(ST_RDONLY) != 0)
    }
}
