import BlueZLink
import HostRuntime
import MQTTClient
import RingLog

/// What lies outside of a gateway: one value, so that a test can put a world in its place.
package struct Surroundings: Sendable {
    /// Makes the room's links; told of each adapter that is switched off and on, and why.
    package typealias RoomMaker =
        @Sendable (
            RoomLinkConfiguration, SystemLog,
            _ onAdapterReset: @escaping @Sendable (_ name: String, _ reason: String) -> Void
        ) -> any RoomPort

    var runtime: any Runtime
    /// Where the ring is.
    var fileSystem: FallbackBlockDevice.FileSystem
    var connector: BrokerConnector
    var makeRoom: RoomMaker
    /// How the machine does, which holds the ring at this path.
    var hostFigures: @Sendable (_ ringPath: String) -> HostFigures
    /// Whether `rowgatectl` is listened to.
    var hasControlSocket: Bool
    /// Where the log goes; nil for the system's.
    var logDestination: SystemLog.Destination?

    /// This machine's disk and clocks, or others, under monitors that are none of its own. Nothing is
    /// known of how the machine does, and nobody asks by `rowgatectl`.
    package init(
        runtime: any Runtime, fileSystem: FallbackBlockDevice.FileSystem = .init(),
        connector: @escaping BrokerConnector, makeRoom: @escaping RoomMaker,
        logDestination: SystemLog.Destination? = nil
    ) {
        self.init(
            runtime: runtime, fileSystem: fileSystem, connector: connector, makeRoom: makeRoom,
            hostFigures: { _ in HostFigures() }, hasControlSocket: false,
            logDestination: logDestination)
    }

    init(
        runtime: any Runtime, fileSystem: FallbackBlockDevice.FileSystem,
        connector: @escaping BrokerConnector, makeRoom: @escaping RoomMaker,
        hostFigures: @escaping @Sendable (_ ringPath: String) -> HostFigures,
        hasControlSocket: Bool, logDestination: SystemLog.Destination? = nil
    ) {
        self.runtime = runtime
        self.fileSystem = fileSystem
        self.connector = connector
        self.makeRoom = makeRoom
        self.hostFigures = hostFigures
        self.hasControlSocket = hasControlSocket
        self.logDestination = logDestination
    }

    /// This machine.
    package static var machine: Surroundings {
        let runtime = SystemRuntime()
        return Surroundings(
            runtime: runtime, fileSystem: .init(), connector: ConnectionProcess.connector,
            makeRoom: { configuration, log, onAdapterReset in
                RoomLink(
                    configuration: configuration, executor: runtime.makeQueue(label: "rowgate.bus"),
                    clock: runtime, log: log, onAdapterReset: onAdapterReset)
            },
            hostFigures: { HostFigures(ringPath: $0) }, hasControlSocket: true)
    }
}
