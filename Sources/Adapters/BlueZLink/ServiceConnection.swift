import SDBus
import Timeline

/// The bus and bluetoothd, as far as they were found. Confined to the bus queue.
final class ServiceConnection {
    /// nil without a bus.
    private(set) var client: BlueZClient?
    /// Why there is no bus or no bluetoothd.
    private(set) var problem: RoomProblem?
    private var isWaiting = false
    /// The delays before the bus or bluetoothd is tried again.
    private var retry = ExponentialBackoff(.milliseconds(500)...(.seconds(15)))

    /// Uses a bus from now on.
    func open(_ bus: BusConnection) { client = BlueZClient(bus: bus) }

    /// Whether this bus is the one in use.
    func isOpen(_ bus: BusConnection) -> Bool { client?.bus === bus }

    /// Returns the client, whose bus the caller must stop.
    func close() -> BlueZClient? {
        defer { client = nil }
        return client
    }

    func note(_ problem: RoomProblem) { self.problem = problem }

    /// Records that bluetoothd has answered.
    func noteFound() {
        problem = nil
        retry.reset()
    }

    /// Begins to wait for bluetoothd; false if another caller waits already. Call `endWaiting` afterwards.
    func beginWaiting() -> Bool {
        guard !isWaiting else { return false }
        isWaiting = true
        return true
    }

    func endWaiting() { isWaiting = false }

    /// Returns the delay before the next attempt.
    func nextDelay() -> Duration { retry.next() }
}
