import Bytes
import Contract
import PM5Codec
import Rowing
import Timeline

/// Raw values as transferred, collected between two reports to the recorder.
///
/// One buffer holds all of them, so that storing a value needs no allocation.
package struct RawRecording: Sendable {
    private struct Entry {
        let end: Int
        let at: BootInstant
    }

    private var writer = ByteWriter()
    private var index: [Entry] = []

    package init() {}

    package var isEmpty: Bool { index.isEmpty }
    package var count: Int { index.count }
    /// When the first value was transferred.
    package var begun: BootInstant? { index.first?.at }

    package mutating func append(
        _ value: UnsafeRawBufferPointer, of characteristic: CharacteristicID,
        station: StationID, at now: BootInstant
    ) {
        RingEntry.encodeNotification(
            of: station, characteristic, bootMilliseconds: now.milliseconds, value, into: &writer)
        index.append(Entry(end: writer.bytes.count, at: now))
    }

    package mutating func append(_ later: RawRecording) {
        let start = writer.bytes.count
        writer.append(later.writer.bytes)
        index += later.index.map { Entry(end: start + $0.end, at: $0.at) }
    }

    /// Drops values older than `instant`.
    package mutating func drop(before instant: BootInstant) {
        let old = index.prefix { $0.at < instant }.count
        guard old > 0 else { return }
        let start = index[old - 1].end
        let remaining = Array(writer.bytes[start...])
        writer.reset()
        writer.append(remaining)
        index = index.dropFirst(old).map { Entry(end: $0.end - start, at: $0.at) }
    }

    /// Each value as the bytes of a ring entry, in order.
    package var entries: [ArraySlice<UInt8>] {
        zip([0] + index.dropLast().map(\.end), index).map { writer.bytes[$0..<$1.end] }
    }
}
