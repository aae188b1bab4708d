import PM5Codec
import Rowing

/// Why a write did not reach a monitor.
package enum LinkWriteError: Error, Equatable, Sendable {
    /// A characteristic of the PM5 takes at most 20 bytes.
    case tooLong(count: Int)
    case linkDown
    case noCharacteristic(CharacteristicID)
    /// More than `limit` writes wait already.
    case tooManyWaiting(limit: Int)
    case refused(String)
}

/// The way out to one monitor, for as long as one link lasts.
struct MonitorLink: ErgLink {
    static let largestWrite = 20

    let attempt: LinkAttempt
    let room: RoomLink

    func write(_ value: [UInt8], to characteristic: CharacteristicID) async throws {
        guard value.count <= Self.largestWrite else {
            throw LinkWriteError.tooLong(count: value.count)
        }
        try await room.write(value, to: characteristic, of: attempt)
    }
}

/// A queue of one: lets writes to one monitor pass one after the other, in the order they came.
struct WriteLane {
    static let limit = 64

    private var isBusy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    var isFull: Bool { waiting.count >= Self.limit }

    /// Takes the lane if it is free.
    mutating func tryEnter() -> Bool {
        guard !isBusy else { return false }
        isBusy = true
        return true
    }

    /// Waits in line; the lane is the waiter's when the continuation resumes.
    mutating func enqueue(_ continuation: CheckedContinuation<Void, Never>) {
        waiting.append(continuation)
    }

    /// Leaves the lane to the next in line.
    mutating func leave() {
        if waiting.isEmpty { isBusy = false } else { waiting.removeFirst().resume() }
    }
}
