import PM5Codec
import Rowing
import SDBus

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

extension RoomLink {
    /// Writes through the monitor's queue; changes only `connections[...].writeQueue`.
    func write(
        _ value: [UInt8], to id: CharacteristicID, of attempt: LinkAttempt
    ) async throws(LinkWriteError) {
        guard let connection = connections[attempt.serial], connection.streamAttempt == attempt else {
            throw .linkDown
        }
        guard !connection.writeQueue.isFull else { throw .tooManyWaiting(limit: WriteQueue.limit) }
        if connections[attempt.serial]?.writeQueue.tryBegin() != true {
            await withCheckedContinuation { connections[attempt.serial]?.writeQueue.enqueue($0) }
        }
        defer { connections[attempt.serial]?.writeQueue.end() }
        guard let client, connections[attempt.serial]?.streamAttempt == attempt else {
            throw .linkDown
        }
        guard let target = machine.tree.characteristics(of: attempt.path)[id] else {
            throw .noCharacteristic(id)
        }
        do throws(BusError) {
            try await client.write(value, to: target)
        } catch {
            throw .failed(error.description)
        }
    }
}
