import BlueZLink
import Gateway
import Glibc
import HostRuntime
import MQTTClient
import TestSupport
import Timeline

/// One gateway of the fleet.
struct FleetGateway: Sendable {
    /// The gateway did not start, or did not stop in order.
    struct Failure: Error, CustomStringConvertible {
        let name: String
        let status: Int32
        var description: String { "gateway \(name) ended with \(status)" }
    }

    let name: String
    /// The path of its rowgate.toml.
    let configuration: String
    let rowing: FleetRowing
    /// From which those who row are drawn.
    let seed: UInt64

    /// Runs in real time until it is stopped.
    func row(_ rowers: FleetRowers, until request: StopRequest) async {
        let status = await Launch(configurationPath: configuration)
            .serve(
                in: environment(
                    SystemRuntime(), rowers, pace: .milliseconds(100), saying: .warning,
                    // In this process: one more for each would be the fleet's cost, and not a gateway's.
                    connector: { configuration, will, report throws(BrokerFailure) in
                        try MQTTConnection(configuration, will: will, report: report)
                    }),
                until: request)
        if status != 0 { printLine("ended with \(status)") }
    }

    /// Runs from that moment on for so long, in stepped time and without a broker.
    ///
    /// - Parameter begin: milliseconds of Unix time.
    func row(since begin: Int64, for duration: Duration) async throws {
        let status = try await SteppedLoop.run(seed: seed) { machine in
            machine.mapping.unixMillisecondsAtBoot = begin - Int64(machine.now().milliseconds)
            let (request, program) = (StopRequest(), machine.program())
            async let end = Launch(configurationPath: configuration)
                .serve(
                    in: environment(
                        program, FleetRowers(), pace: .milliseconds(250), saying: .error,
                        connector: { configuration, _, _ throws(BrokerFailure) in
                            throw BrokerFailure(
                                operation: "connect", broker: configuration.address,
                                cause: "it is away")
                        }),
                    until: request)
            await machine.sleep(for: duration)
            request.make(SIGTERM)
            return await end
        }
        guard status == 0 else { throw Failure(name: name, status: status) }
    }

    private func environment(
        _ runtime: any Runtime, _ rowers: FleetRowers, pace: Duration,
        saying least: SystemLog.Priority, connector: @escaping BrokerConnector
    ) -> GatewayEnvironment {
        GatewayEnvironment(
            runtime: runtime, connector: connector,
            makeRoom: { configuration, _, _ in
                FleetRoom(
                    configuration.roster, rowers, rowing, seed: seed, pace: pace,
                    on: runtime)
            },
            logDestination: .reader { priority, message, _ in
                if priority <= least { printLine(message) }
            })
    }

    private func printLine(_ line: String) {
        let bytes = Array("\(name): \(line)\n".utf8)
        _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
