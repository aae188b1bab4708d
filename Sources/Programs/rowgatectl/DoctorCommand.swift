import ArgumentParser
import Diagnosis
import Dispatch
import Glibc
import HostRuntime
import MQTTClient
import Synchronization

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find problems and suggest fixes.",
        discussion: """
            Looks at the configuration, the service, bluetoothd and its adapters, Wi-Fi beside \
            them, the clock, the disk, the broker and who may read what. It connects to the broker \
            as the gateway would and publishes one message, to rsp/doctor below the gateway. Only \
            root sees everything.

            Exit status: 0 when all is well, 1 with warnings, 2 with failures.
            """)

    @OptionGroup var subject: DoctorSubject
    @Flag(help: "Print JSON, for programs.") var json = false

    func run() throws {
        let doctor = subject.doctor
        let report = Blocking.result { await doctor.examine() }
        Terminal.show(report.lines, orJSON: json ? try report.jsonText() : nil)
        throw ExitCode(report.exitStatus)
    }
}

/// The files and the socket that the doctor checks.
struct DoctorSubject: ParsableArguments {
    @Option(help: ArgumentHelp("The configuration file of the daemon.", valueName: "path"))
    var config = ConfigurationProbe.defaultConfiguration

    @Option(
        help: ArgumentHelp(
            "The daemon's control socket (default: $ROWGATE_SOCKET, or that of the configuration).",
            valueName: "path"))
    var socket: String?

    var doctor: Doctor {
        let host = HostProbe()
        return Doctor(
            configuration: ConfigurationProbe(program: Self.daemon, configuration: config),
            host: host, bluetooth: BluetoothProbe(host: host),
            broker: BrokerProbe(connector: ConnectionProcess.connector),
            socket: socket ?? getenv("ROWGATE_SOCKET").map { String(cString: $0) })
    }

    /// The daemon that was built together with this program, or the installed one.
    private static var daemon: String {
        let own = SmallFile.resolved("/proc/self/exe") ?? ""
        let folder = own.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        let running = folder + "/rowgate"
        return access(running, X_OK) == 0 ? running : "/usr/sbin/rowgate"
    }
}

/// Asynchronous work in a program that otherwise does one thing after the other.
enum Blocking {
    private final class Outcome<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }

    static func result<Value: Sendable>(
        _ work: @escaping @Sendable () async -> Value
    ) -> Value {
        let done = DispatchSemaphore(value: 0)
        let outcome = Outcome<Value>()
        Task {
            let value = await work()
            outcome.value.withLock { $0 = value }
            done.signal()
        }
        done.wait()
        guard let value = outcome.value.withLock({ $0 }) else {
            preconditionFailure("the signal follows the value")
        }
        return value
    }
}
