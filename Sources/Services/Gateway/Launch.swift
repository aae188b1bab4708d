import Glibc
import HostRuntime
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
            Self.say("warning: \(warning)", to: STDERR_FILENO)
        }
        let (faults, unchecked) = configuration.fileProblems(
            credentialsDirectory: CredentialFile.directory)
        let problems = mistakes + faults
        for setting in unchecked {
            Self.say(
                "warning: \(setting) names a credential, which only systemd can give; not checked",
                to: STDERR_FILENO)
        }
        for problem in problems { Self.say("\(problem)", to: STDERR_FILENO) }
        guard problems.isEmpty else { return InvalidConfiguration.exitStatus }
        Self.say("\(configurationPath): ok", to: STDOUT_FILENO)
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

    /// Runs the daemon in `surroundings` until `request` is made. Returns the exit status.
    package func serve(
        in surroundings: Surroundings, until request: StopRequest
    ) async -> Int32 {
        let opening = await DeadlineWatch(surroundings.runtime).result(
            of: { try await open(in: surroundings) }, within: Self.openingDeadline, of: request)
        guard let opening else {
            Self.say("rowgate stops before its files are open", to: STDERR_FILENO)
            return 0
        }
        do {
            try await opening.get().run(until: request)
            return 0
        } catch let error as InvalidConfiguration {
            Self.say("\(error)", to: STDERR_FILENO)
            return InvalidConfiguration.exitStatus
        } catch let error as RingLogError where error.isLaterVersion {
            Self.say(
                "\(error); install that version again, or move the file away to begin a new log",
                to: STDERR_FILENO)
            return InvalidConfiguration.exitStatus
        } catch {
            Self.say("rowgate cannot start: \(error)", to: STDERR_FILENO)
            return 1
        }
    }

    /// Reads the configuration and opens the ring, on a queue that may hang if the disk does not
    /// answer.
    private func open(in surroundings: Surroundings) async throws -> Daemon {
        try await withCheckedThrowingContinuation { opened in
            surroundings.runtime.makeQueue(label: "rowgate.opening").async {
                opened.resume(
                    with: Result {
                        let configuration = try Configuration.load(from: configurationPath)
                        for warning in configuration.warnings {
                            Self.say("warning: \(warning)", to: STDERR_FILENO)
                        }
                        return try Daemon(
                            configuration, readFrom: configurationPath, in: surroundings)
                    })
            }
        }
    }

    /// Logs the problems if the daemon cannot start.
    private func attempting<Value>(
        _ read: (String) throws(InvalidConfiguration) -> Value
    ) -> Value? {
        do throws(InvalidConfiguration) { return try read(configurationPath) } catch {
            Self.say("\(error)", to: STDERR_FILENO)
            return nil
        }
    }

    private static func say(_ line: String, to descriptor: Int32) {
        write(line + "\n", to: descriptor)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }
}
