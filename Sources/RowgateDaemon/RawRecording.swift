import PM5Codec
import Rowing

/// Values as a monitor sent them, gathered between two handovers to the journal.
///
/// One buffer takes them all, so that keeping a value costs no allocation of its own.
struct RawRecording: Sendable {
    private var writer = ByteWriter()
    private var ends: [Int] = []

    var isEmpty: Bool { ends.isEmpty }
    var count: Int { ends.count }

    mutating func append(
        _ value: UnsafeRawBufferPointer, of characteristic: CharacteristicID,
        station: StationID, at now: BootInstant
    ) {
        JournalEntry.encodeNotification(
            of: station, characteristic, bootMilliseconds: now.milliseconds, value, into: &writer)
        ends.append(writer.bytes.count)
    }

    /// Each value as a journal entry's bytes, in order.
    var entries: [ArraySlice<UInt8>] {
        zip([0] + ends.dropLast(), ends).map { writer.bytes[$0..<$1] }
    }
}
