import BlueZLink
import HostRuntime
import MQTTClient
import RingLog

/// Everything outside of a gateway in one value, so that a test can replace it.
package struct GatewayEnvironment: Sendable {
    /// Creates the room's links; called back for each adapter that is power-cycled, with the
    /// reason.
    package typealias RoomMaker =
        @Sendable (
            RoomLinkConfiguration, SystemLog,
            _ onAdapterReset: @escaping @Sendable (_ name: String, _ reason: String) -> Void
        ) -> any RoomPort

    var runtime: any Runtime
    /// The file system of the ring.
    var fileSystem: FallbackBlockDevice.FileSystem
    var connector: BrokerConnector
    var makeRoom: RoomMaker
    /// Returns the state of the machine with the ring at this path.
    var hostStatus: @Sendable (_ ringPath: String) -> HostStatus
    /// Whether the control socket for `rowgatectl` is open.
    var hasControlSocket: Bool
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
        hasControlSocket: Bool, logDestination: SystemLog.Destination? = nil
    ) {
        self.runtime = runtime
        self.fileSystem = fileSystem
        self.connector = connector
        self.makeRoom = makeRoom
        self.hostStatus = hostStatus
        self.hasControlSocket = hasControlSocket
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
            hostStatus: { HostStatus(ringPath: $0) }, hasControlSocket: true)
    }
}
