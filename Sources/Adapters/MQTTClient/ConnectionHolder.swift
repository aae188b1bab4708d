import Glibc

/// Runs in the child process of `ConnectionProcess`: holds the connection to the MQTT broker for the parent
/// process.
package enum ConnectionHolder {
    /// Memory limit in bytes. libmosquitto allocates up to 256 MB if a broker announces as much,
    /// and systemd would throttle or end the service.
    static let memoryLimit: rlim_t = 48 << 20

    /// Holds the connection to the broker and never returns, if the program was started for that.
    package static func runIfRequested() {
        guard CommandLine.arguments.dropFirst() == [ConnectionProcess.argument] else { return }
        confine()
        let parent = ParentChannel(FrameSocket(descriptor: STDIN_FILENO))
        guard case .connect(let configuration, let will) = parent.firstRequest() else {
            _exit(64)
        }
        do throws(BrokerFailure) {
            let connection = try MQTTConnection(configuration, will: will, report: parent.report)
            connection.start(serving: parent)
        } catch {
            parent.report(.ended(error))
        }
        waitForHangup()
        // The parent is gone; the broker publishes the will.
        _exit(0)
    }

    /// Also while the connection's thread resolves a name, or connects.
    private static func waitForHangup() {
        var input = pollfd(fd: STDIN_FILENO, events: 0, revents: 0)
        while poll(&input, 1, -1) <= 0 {}
    }

    /// Makes the process end with its socket and not by signals meant for the service, without
    /// output or core dump.
    private static func confine() {
        for signal in [SIGTERM, SIGINT, SIGHUP, SIGPIPE] { Glibc.signal(signal, SIG_IGN) }
        for signal in SpawnedProcess.End.crashSignals {
            Glibc.signal(signal) { _exit(SpawnedProcess.End.ofSignal + $0) }
        }
        var limit = rlimit(rlim_cur: memoryLimit, rlim_max: memoryLimit)
        setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
    }
}
