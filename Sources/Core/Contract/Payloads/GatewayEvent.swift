import Bytes
import Rowing

/// Something that happened to the gateway itself.
package enum GatewayEvent: Equatable, Sendable, RecordBody {
    package static let recordKind = StreamKind.gatewayEvent

    case gatewayStarted(version: String)
    case configurationReloaded
    /// A Bluetooth adapter had to be switched off and on.
    case adapterReset(adapter: String, reason: String)
    /// Numbers whose records, if there were any, nobody can get from the ring any more.
    case ringDropped(stream: StreamID, sequences: ClosedRange<UInt64>, reason: DropReason)
    /// From now on numbers belong to a new epoch; each of these streams goes on with this number,
    /// and has given out those before it in earlier epochs.
    case epochBegan(reason: String, firstSequences: [StreamID: UInt64])
    /// Bytes at the end of the ring that did not survive a power cut.
    case ringRecovered(droppedBytes: UInt64, reason: String)
    /// The wall clock was set, by so much.
    case clockStepped(milliseconds: Int64)

    /// Why a range of numbers is missing.
    package enum DropReason: String, CaseIterable, Sendable {
        /// The ring was full of records that no broker had taken, and the oldest went.
        case overwritten
        /// Bytes of the ring do not verify.
        case unreadable
        /// The gateway died before these numbers were durable: they may have been given out, to
        /// records that are lost, and are not given out again.
        case notDurable = "not_durable"
        /// They were given out in the epoch before; earlier versions declared so, for each stream.
        case earlierEpoch = "earlier_epoch"
        /// An athlete is to be forgotten, and these records of theirs had not been published.
        case erased
        /// The broker takes no message as long as these records, which stay in the ring.
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
