import Bytes
import Contract

/// The verdict as JSON.
extension DeliveryVerdict {
    /// One JSON object on one line, with the fields that the manual page lists.
    package var json: String {
        let bytes = JSONWriter.object { json in
            json.field("complete", isComplete)
            json.field("owed", expectedCount)
            json.field("missing", missingCount)
            json.list("streams", of: streams) { $1.write(into: &$0) }
            json.list("sessions", of: sessions) { $1.write(into: &$0) }
            json.field("unreadable", defectCount)
            json.list("defects", of: defects) { json, defect in
                json.field("topic", defect.topic)
                json.field("reason", defect.reason)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension DeliveryVerdict.Stream {
    fileprivate func write(into json: inout JSONWriter) {
        json.field("gw", gateway.slug)
        json.field("epoch", epoch)
        json.field("erg", stream.station?.slug)
        json.field("kind", stream.kind.topicName)
        json.field("from_seq", expected?.lowerBound)
        json.field("to_seq", expected?.upperBound)
        json.field("received", received)
        json.field("repeats", repeats)
        json.list("altered", of: altered) { $0.range($1) }
        json.list("missing", of: missing) { $0.range($1.sequences, declared: $1.declared) }
    }
}

extension DeliveryVerdict.Session {
    fileprivate func write(into json: inout JSONWriter) {
        json.field("gw", gateway.slug)
        json.field("epoch", epoch)
        json.field("erg", station.slug)
        json.field("session_id", id)
        json.field("strokes", strokes)
        switch proof {
        case .proven: json.field("proof", "proven")
        case .strokesMissing(let count):
            json.field("proof", "strokes_missing")
            json.field("missing", count)
        case .digestDiffers: json.field("proof", "digest_differs")
        case .countDiffers(let kind, let received, let count):
            json.field("proof", "count_differs")
            json.field("kind", kind.topicName)
            json.field("received", received)
            json.field("counted", count)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func range(
        _ range: ClosedRange<UInt64>, declared: GatewayEvent.DropReason? = nil
    ) {
        field("from_seq", range.lowerBound)
        field("to_seq", range.upperBound)
        field("declared", declared?.rawValue)
    }
}
