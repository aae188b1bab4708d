import HostRuntime

/// The links to the monitors of a room, as a gateway sees them; `RoomLink` has them from bluetoothd.
package protocol RoomPort: Sendable {
    /// The bus queue, for the watch that checks that every queue answers.
    var executor: SerialQueueExecutor { get }

    /// Begins; returns at once, whatever is missing.
    func start() async

    /// Ends every link.
    func stop() async

    /// Lends a monitor to somebody else, for `duration` or until `reclaim`; false for a monitor that
    /// is none of this room's.
    func release(_ serial: String, for duration: Duration?) async -> Bool

    /// Takes a lent monitor back; false for a monitor that is none of this room's.
    func reclaim(_ serial: String) async -> Bool

    /// The room as it is.
    func snapshot() async -> RoomSnapshot
}

extension RoomLink: RoomPort {}
