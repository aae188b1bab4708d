import Bytes
import Rowing

/// An event of the gateway itself.
package enum GatewayEvent: Equatable, Sendable, RecordBody {
    package static let recordKind = StreamKind.gatewayEvent

    case gatewayStarted(version: String)
    case configurationReloaded
    /// A Bluetooth adapter was switched off and on.
    case adapterReset(adapter: String, reason: String)
    /// Numbers whose records, if any, can no longer be read from the ring.
    case ringDropped(stream: StreamID, sequences: ClosedRange<UInt64>, reason: DropReason)
    /// A new epoch began. Each stream continues with its number here; lower numbers belong to earlier
    /// epochs.
    case epochBegan(reason: String, firstSequences: [StreamID: UInt64])
    /// Bytes at the end of the ring were lost in a power cut.
    case ringRecovered(droppedBytes: UInt64, reason: String)
    /// The wall clock was set by this difference.
    case clockStepped(milliseconds: Int64)

    /// Why a range of numbers is missing.
    package enum DropReason: String, CaseIterable, Sendable {
        /// The ring was full of unpublished records and overwrote the oldest.
        case overwritten
        /// Bytes of the ring do not verify.
        case unreadable
        /// The gateway crashed before these numbers were durable. They may have been assigned to records
        /// that are lost, and are not assigned again.
        case notDurable = "not_durable"
        /// They were assigned in the epoch before. Only earlier versions declare this, for each stream.
        case earlierEpoch = "earlier_epoch"
        /// The records were erased for an athlete before they were published.
        case erased
        /// The records exceed the broker's maximum packet size; they stay in the ring.
        case tooLong = "too_long"
    }

    package func write(into json: inout JSONWriter, context: RecordContext) {
        switch self {
        case .gatewayStarted(let version):
            json.field("event", "started")
            json.field("version", version)
        case .configurationReloaded:
            json.field("event", "config_reloaded")
        case .adapterReset(let adapter, let reason):
            json.field("event", "adapter_reset")
            json.field("adapter", adapter)
            json.field("reason", reason)
        case .ringDropped(let stream, let sequences, let reason):
            json.field("event", "ring_dropped")
            json.field("stream", stream.path)
            json.field("from_seq", sequences.lowerBound)
            json.field("to_seq", sequences.upperBound)
            json.field("reason", reason.rawValue)
        case .epochBegan(let reason, let firstSequences):
            json.field("event", "epoch_began")
            json.field("reason", reason)
            let numbers = firstSequences.map { ($0.key.path, $0.value) }
            json.object("first_seq", of: numbers.sorted(by: <))
        case .ringRecovered(let droppedBytes, let reason):
            json.field("event", "ring_recovered")
            json.field("dropped_bytes", droppedBytes)
            json.field("reason", reason)
        case .clockStepped(let milliseconds):
            json.field("event", "clock_stepped")
            json.field("step_ms", milliseconds)
        }
    }
}
