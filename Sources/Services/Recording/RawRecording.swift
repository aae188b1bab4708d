import Bytes
import Contract
import PM5Codec
import Rowing
import Timeline

/// Values as they travelled, gathered between two handovers to the recorder.
///
/// One buffer takes them all, so that keeping a value costs no allocation of its own.
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
    /// When the first value travelled.
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

    /// Forgets what is older than `instant`.
    package mutating func drop(before instant: BootInstant) {
        let old = index.prefix { $0.at < instant }.count
        guard old > 0 else { return }
        let start = index[old - 1].end
        let kept = Array(writer.bytes[start...])
        writer.reset()
        writer.append(kept)
        index = index.dropFirst(old).map { Entry(end: $0.end - start, at: $0.at) }
    }

    /// Each value as the bytes of a ring entry, in order.
    package var entries: [ArraySlice<UInt8>] {
        zip([0] + index.dropLast().map(\.end), index).map { writer.bytes[$0..<$1.end] }
    }
}

/// When values are kept: during a session, in the moments before it, and while the monitor may
/// still have something to say of it.
///
/// A monitor talks all night beside a sleeping room; that is not worth an SD card.
package struct RawWindow: Sendable {
    /// The packets that a session begins by: statuses, and a stroke that came before them.
    package static let leadIn = Duration.seconds(3)
    /// The summary with the recovery heart rate comes about a minute after the end.
    static let leadOut = Duration.seconds(90)

    private var until: BootInstant?

    package init() {}

    /// Whether values of this moment are kept, given what the erg is doing.
    package mutating func isOpen(during activity: ActivityState, at now: BootInstant) -> Bool {
        if activity.isUnderWay { until = now.advanced(by: Self.leadOut) }
        guard let until, now <= until else { return false }
        return true
    }
}
