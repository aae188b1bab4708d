import HostRuntime
import PM5Codec
import Rowing

/// Why a write did not reach a monitor.
package enum LinkWriteError: Error, Equatable, Sendable {
    /// A characteristic of the PM5 takes at most 20 bytes.
    case tooLong(count: Int)
    case linkDown
    case noCharacteristic(CharacteristicID)
    /// More than `limit` writes are waiting already.
    case tooManyWaiting(limit: Int)
    /// BlueZ or the monitor refused, or did not answer; with a description.
    case failed(String)
}

/// Writes to one monitor, for as long as one link lasts.
struct MonitorLink: ErgLink {
    let attempt: LinkAttempt
    let room: RoomLink

    func write(_ value: [UInt8], to characteristic: CharacteristicID) async throws {
        guard value.count <= Frame.pieceLength else {
            throw LinkWriteError.tooLong(count: value.count)
        }
        try await room.write(value, to: characteristic, of: attempt)
    }
}

/// The destination of a monitor's values: a station's queue and its listener.
package struct StationEndpoint: Sendable {
    /// The name of the erg, for the log.
    package let name: String
    /// The station's queue; its sockets are read on it.
    package let executor: SerialQueueExecutor
    package let listener: any ErgLinkListener

    package init(name: String, executor: SerialQueueExecutor, listener: any ErgLinkListener) {
        self.name = name
        self.executor = executor
        self.listener = listener
    }
}

/// Serializes the writes to one monitor, in the order of the calls.
struct WriteQueue {
    static let limit = 64

    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    var isFull: Bool { waiting.count >= Self.limit }

    /// Starts a write if none is running.
    mutating func tryBegin() -> Bool {
        guard !isBusy else { return false }
        isBusy = true
        return true
    }

    /// Waits in line; the write starts when the continuation resumes.
    mutating func enqueue(_ continuation: CheckedContinuation<Void, Never>) {
        waiting.append(continuation)
    }

    /// Ends a write and resumes the next waiter.
    mutating func end() {
        if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
    }
}
