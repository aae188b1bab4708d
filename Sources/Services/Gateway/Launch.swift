import AvahiClient
import BlueZLink
import Glibc
import HostRuntime
import MQTTClient
import RingLog
import Settings

/// The actions of the command line of `rowgate`.
package struct Launch: Sendable {
    /// The output of `--version`: version and build.
    package static let version = Release.facts

    private let configurationPath: String

    /// - Parameter configurationPath: the main file; conf.d is in the same folder.
    package init(configurationPath: String) { self.configurationPath = configurationPath }

    /// Prints the problems of the configuration, or that there are none. Returns the exit status.
    package func check() -> Int32 {
        guard let (configuration, mistakes) = attempting(Configuration.read) else {
            return InvalidConfiguration.exitStatus
        }
        for warning in configuration.warnings {
            Self.printLine("warning: \(warning)", to: STDERR_FILENO)
        }
        let (faults, unchecked) = configuration.fileProblems(
            credentialsDirectory: CredentialFile.directory)
        let problems = mistakes + faults
        for setting in unchecked {
            Self.printLine(
                "warning: \(setting) names a credential, which only systemd can give; not checked",
                to: STDERR_FILENO)
        }
        for problem in problems { Self.printLine("\(problem)", to: STDERR_FILENO) }
        guard problems.isEmpty else { return InvalidConfiguration.exitStatus }
        Self.printLine("\(configurationPath): ok", to: STDOUT_FILENO)
        return 0
    }

    /// Prints every value in force with its origin. Returns the exit status.
    package func printSettings() -> Int32 {
        guard let configuration = attempting(Configuration.load) else {
            return InvalidConfiguration.exitStatus
        }
        Self.write(configuration.settings.tomlText, to: STDOUT_FILENO)
        return 0
    }

    /// Runs the daemon until it must stop. Returns the exit status.
    package func serve() async -> Int32 {
        // Before the ring is opened: from then on the process must not end without closing it.
        let signals = await TerminationSignals()
        return await serve(in: .machine, until: signals.request)
    }

    /// How long a stop waits for files that do not open.
    private static let openingDeadline = Duration.seconds(1)

    /// Runs the daemon in `environment` until `request` is made. Returns the exit status.
    package func serve(
        in environment: GatewayEnvironment, until request: StopRequest
    ) async -> Int32 {
        let opening = await DeadlineWatch(environment.runtime).result(
            of: { try await open(in: environment) }, within: Self.openingDeadline, of: request)
        guard let opening else {
            Self.printLine("rowgate stops before its files are open", to: STDERR_FILENO)
            return 0
        }
        do {
            try await opening.get().run(until: request)
            return 0
        } catch let error as InvalidConfiguration {
            Self.printLine("\(error)", to: STDERR_FILENO)
            return InvalidConfiguration.exitStatus
        } catch let error as RingLogError where error.isLaterVersion {
            Self.printLine(
                "\(error); install that version again, or move the file away to begin a new log",
                to: STDERR_FILENO)
            return InvalidConfiguration.exitStatus
        } catch {
            Self.printLine("rowgate cannot start: \(error)", to: STDERR_FILENO)
            return 1
        }
    }

    /// Reads the configuration and opens the ring, on a queue that may hang if the disk does not
    /// answer.
    private func open(in environment: GatewayEnvironment) async throws -> Daemon {
        try await withCheckedThrowingContinuation { opened in
            environment.runtime.makeQueue(label: "rowgate.opening").async {
                opened.resume(
                    with: Result {
                        let configuration = try Configuration.load(from: configurationPath)
                        for warning in configuration.warnings {
                            Self.printLine("warning: \(warning)", to: STDERR_FILENO)
                        }
                        return try Daemon(
                            configuration, readFrom: configurationPath, in: environment)
                    })
            }
        }
    }

    /// Logs the problems if the daemon cannot start.
    private func attempting<Value>(
        _ read: (String) throws(InvalidConfiguration) -> Value
    ) -> Value? {
        do throws(InvalidConfiguration) { return try read(configurationPath) } catch {
            Self.printLine("\(error)", to: STDERR_FILENO)
            return nil
        }
    }

    private static func printLine(_ line: String, to descriptor: Int32) {
        write(line + "\n", to: descriptor)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }
}

/// Everything outside of a gateway in one value, so that a test can replace it.
package struct GatewayEnvironment: Sendable {
    /// Creates the room's links; called back for each adapter that is power-cycled, with the
    /// reason.
    package typealias RoomMaker =
        @Sendable (
            RoomLinkConfiguration, SystemLog,
            _ onAdapterReset: @escaping @Sendable (_ name: String, _ reason: String) -> Void
        ) -> any RoomPort

    /// Creates the announcer of the gateway in the network.
    typealias AnnouncerMaker =
        @Sendable (SystemLog, _ announcement: @escaping @Sendable () -> Announcement?) -> ServiceAnnouncer

    var runtime: any Runtime
    /// The file system of the ring.
    var fileSystem: FallbackBlockDevice.FileSystem
    var connector: BrokerConnector
    var makeRoom: RoomMaker
    /// Returns the state of the machine with the ring at this path.
    var hostStatus: @Sendable (_ ringPath: String) -> HostStatus
    /// Whether the control socket for `rowgatectl` is open.
    var hasControlSocket: Bool
    /// nil to announce nothing.
    var makeAnnouncer: AnnouncerMaker?
    /// The destination of the log; nil for the system's.
    var logDestination: SystemLog.Destination?

    /// This machine's or other disks and clocks, with monitors that are not the machine's. The
    /// state of the machine is unknown, and there is no control socket.
    package init(
        runtime: any Runtime, fileSystem: FallbackBlockDevice.FileSystem = .init(),
        connector: @escaping BrokerConnector, makeRoom: @escaping RoomMaker,
        logDestination: SystemLog.Destination? = nil
    ) {
        self.init(
            runtime: runtime, fileSystem: fileSystem, connector: connector, makeRoom: makeRoom,
            hostStatus: { _ in HostStatus() }, hasControlSocket: false,
            logDestination: logDestination)
    }

    init(
        runtime: any Runtime, fileSystem: FallbackBlockDevice.FileSystem,
        connector: @escaping BrokerConnector, makeRoom: @escaping RoomMaker,
        hostStatus: @escaping @Sendable (_ ringPath: String) -> HostStatus,
        hasControlSocket: Bool, makeAnnouncer: AnnouncerMaker? = nil,
        logDestination: SystemLog.Destination? = nil
    ) {
        self.runtime = runtime
        self.fileSystem = fileSystem
        self.connector = connector
        self.makeRoom = makeRoom
        self.hostStatus = hostStatus
        self.hasControlSocket = hasControlSocket
        self.makeAnnouncer = makeAnnouncer
        self.logDestination = logDestination
    }

    /// This machine.
    package static var machine: GatewayEnvironment {
        let runtime = SystemRuntime()
        return GatewayEnvironment(
            runtime: runtime, fileSystem: .init(), connector: ConnectionProcess.connector,
            makeRoom: { configuration, log, onAdapterReset in
                RoomLink(
                    configuration: configuration, executor: runtime.makeQueue(label: "rowgate.bus"),
                    clock: runtime, log: log, onAdapterReset: onAdapterReset)
            },
            hostStatus: { HostStatus(ringPath: $0) }, hasControlSocket: true,
            makeAnnouncer: { log, announcement in
                ServiceAnnouncer(
                    executor: runtime.makeQueue(label: "rowgate.announcer"), log: log,
                    announcement: announcement)
            })
    }
}
