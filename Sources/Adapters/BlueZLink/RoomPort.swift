import HostRuntime

/// The gateway's interface to the links of a room; `RoomLink` implements it with bluetoothd.
package protocol RoomPort: Sendable {
    /// The bus queue, for the liveness check.
    var executor: SerialQueueExecutor { get }

    /// Starts and returns at once, even without a bus, bluetoothd or adapter.
    func start() async

    /// Ends every link.
    func stop() async

    /// Releases a monitor to another central, for `duration` or until `reclaim`; false for a monitor
    /// that does not belong to this room.
    func release(_ serial: String, for duration: Duration?) async -> Bool

    /// Ends a release; false for a monitor that does not belong to this room.
    func reclaim(_ serial: String) async -> Bool

    /// Returns the current state of the room.
    func snapshot() async -> RoomSnapshot
}

extension RoomLink: RoomPort {}
