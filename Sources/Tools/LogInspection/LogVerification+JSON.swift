import Bytes

extension LogVerification {
    /// An object for programs, and a line feed. Sequences of `not_there` include both ends.
    package var json: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.field("path", path)
        json.field("intact", isIntact)
        json.field("records", records)
        json.field("segments", segments)
        json.field("malformed_records", malformed)
        json.field("later_version_records", unknown)
        json.field("torn_end", hasTornEnd)
        json.field("closed_in_order", isClosed)
        writeDamage(to: &json)
        writeHoles(to: &json)
        json.key("repeated")
        json.beginObject()
        for (stream, count) in repeated.sorted(by: { $0.key.path < $1.key.path }) {
            json.key(stream.path)
            json.value(count)
        }
        json.endObject()
        json.endObject()
        return json.bytes + [UInt8(ascii: "\n")]
    }

    private func writeDamage(to json: inout JSONWriter) {
        json.key("damage")
        json.beginArray()
        for stretch in damage {
            json.beginObject()
            json.field("segment", stretch.segment)
            json.field("position", stretch.range.lowerBound)
            json.field("bytes", stretch.byteCount)
            json.endObject()
        }
        json.endArray()
    }

    private func writeHoles(to json: inout JSONWriter) {
        json.key("not_there")
        json.beginArray()
        for hole in holes {
            json.beginObject()
            json.field("stream", hole.stream.path)
            json.field("first_seq", hole.sequences.lowerBound)
            json.field("last_seq", hole.sequences.upperBound)
            json.endObject()
        }
        json.endArray()
    }
}
