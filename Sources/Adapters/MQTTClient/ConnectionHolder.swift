import Glibc

/// The other side of `ConnectionProcess`: holds one connection for the process that started it.
package enum ConnectionHolder {
    /// Memory that it may have, in bytes: libmosquitto takes up to 256 MB if a broker announces as
    /// much, and the service would be throttled or ended for it.
    static let memoryLimit: rlim_t = 48 << 20

    /// Holds a connection and never returns, if the program was started for that.
    package static func holdIfAsked() {
        guard CommandLine.arguments.dropFirst() == [ConnectionProcess.argument] else { return }
        confine()
        let errand = ConnectionErrand(FrameSocket(descriptor: STDIN_FILENO))
        guard case .connect(let configuration, let will) = errand.firstRequest() else {
            _exit(64)
        }
        do throws(BrokerFailure) {
            let connection = try MQTTConnection(configuration, will: will, report: errand.report)
            connection.start(beside: errand)
        } catch {
            errand.report(.ended(error))
        }
        waitForHangup()
        // Nobody is left to hold it for; the broker publishes the will.
        _exit(0)
    }

    /// Also while the connection's thread looks up a name, or connects.
    private static func waitForHangup() {
        var input = pollfd(fd: STDIN_FILENO, events: 0, revents: 0)
        while poll(&input, 1, -1) <= 0 {}
    }

    /// It ends with its socket and not by signals meant for the service, in silence, and leaves
    /// nothing of its memory on the disk.
    private static func confine() {
        for signal in [SIGTERM, SIGINT, SIGHUP, SIGPIPE] { Glibc.signal(signal, SIG_IGN) }
        for signal in SpawnedProcess.End.signalsOfItsOwnDoing {
            Glibc.signal(signal) { _exit(SpawnedProcess.End.ofSignal + $0) }
        }
        var limit = rlimit(rlim_cur: memoryLimit, rlim_max: memoryLimit)
        setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
    }
}
