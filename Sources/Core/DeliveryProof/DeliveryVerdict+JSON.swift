import Bytes
import Contract

/// The verdict for programs: one object, a line of text.
extension DeliveryVerdict {
    /// One object; its names are those of the man page.
    package var json: String {
        var json = JSONWriter()
        json.beginObject()
        json.field("complete", isComplete)
        json.field("owed", owedCount)
        json.field("missing", missingCount)
        json.key("streams")
        json.beginArray()
        for stream in streams { stream.write(into: &json) }
        json.endArray()
        json.key("sessions")
        json.beginArray()
        for session in sessions { session.write(into: &json) }
        json.endArray()
        json.field("unreadable", defectCount)
        json.key("defects")
        json.beginArray()
        for defect in defects {
            json.beginObject()
            json.field("topic", defect.topic)
            json.field("reason", defect.words)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension DeliveryVerdict.Stream {
    fileprivate func write(into json: inout JSONWriter) {
        json.beginObject()
        json.field("gw", gateway.slug)
        json.field("epoch", epoch)
        json.field("erg", stream.station?.slug)
        json.field("kind", stream.kind.topicName)
        json.field("from_seq", owed?.lowerBound)
        json.field("to_seq", owed?.upperBound)
        json.field("received", received)
        json.field("repeats", repeats)
        json.key("altered")
        json.beginArray()
        for range in altered { json.range(range) }
        json.endArray()
        json.key("missing")
        json.beginArray()
        for gap in missing { json.range(gap.sequences, declared: gap.declared) }
        json.endArray()
        json.endObject()
    }
}

extension DeliveryVerdict.Session {
    fileprivate func write(into json: inout JSONWriter) {
        json.beginObject()
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
        json.endObject()
    }
}

extension JSONWriter {
    fileprivate mutating func range(
        _ range: ClosedRange<UInt64>, declared: GatewayEvent.DropReason? = nil
    ) {
        beginObject()
        field("from_seq", range.lowerBound)
        field("to_seq", range.upperBound)
        field("declared", declared?.rawValue)
        endObject()
    }
}
