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

extension RoomLink {
    /// Writes through the monitor's queue.
    func write(
        _ value: [UInt8], to id: CharacteristicID, of attempt: LinkAttempt
    ) async throws(LinkWriteError) {
        let serial = attempt.serial
        guard connections.isOpen(attempt) else { throw .linkDown }
        guard !connections.hasFullWriteQueue(serial) else { throw .tooManyWaiting(limit: WriteQueue.limit) }
        if !connections.tryBeginWrite(to: serial) {
            await withCheckedContinuation { connections.enqueueWrite($0, to: serial) }
        }
        defer { connections.endWrite(to: serial) }
        guard let client, connections.isOpen(attempt) else { throw .linkDown }
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
