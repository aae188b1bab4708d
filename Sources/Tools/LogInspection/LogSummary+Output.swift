import Bytes
import CommandLineText
import Timeline

extension LogSummary {
    /// The summary as text: values of the file, then one line per stream.
    package var lines: [StyledLine] {
        figures + [StyledLine()] + streamTable.lines
    }

    private var figures: [StyledLine] {
        let (size, segment) = (ValueFormatter.storage(size), ValueFormatter.storage(segmentSize))
        let percent = ValueFormatter.tenths((unpublishedFraction * 1000).rounded(.up) / 10)
        let records = messages + rawValues.values.reduce(0, +) + bookkeeping + unknown + malformed
        var lines = [
            line("ring log", path),
            line("size", "\(size) in \(segmentCount) segments of \(segment)"),
            line("epoch", epoch),
            line("records", "\(records), \(messages) of them messages"),
            line("from", times.map { Self.time($0.lowerBound) } ?? "-"),
            line("to", times.map { Self.time($0.upperBound) } ?? "-"),
            line("unpublished", "\(unpublished.counted("message")), \(percent) % of the ring"),
        ]
        lines += damageLines
        if unknown > 0 { lines.append(line("later version", unknown.counted("record"))) }
        return lines
    }

    private var damageLines: [StyledLine] {
        var lines: [StyledLine] = []
        if damage.isEmpty, malformed == 0 { lines.append(line("damage", "none", .good)) }
        if !damage.isEmpty {
            let bytes = damage.reduce(0) { $0 + $1.byteCount }
            lines.append(
                line(
                    "damage",
                    "\(damage.count.counted("stretch", "es")), \(bytes) bytes: see log verify", .bad
                ))
        }
        if malformed > 0 { lines.append(line("malformed", malformed.counted("record"), .bad)) }
        return lines
    }

    private var streamTable: TextTable {
        var table = TextTable([
            ("STREAM", .leading), ("OLDEST", .trailing), ("NEWEST", .trailing),
            ("RECORDS", .trailing),
        ])
        for (stream, figures) in streams.sorted(by: { $0.key.path < $1.key.path }) {
            table.add(
                [stream.path, "\(figures.oldest)", "\(figures.newest)", "\(figures.count)"].map {
                    StyledLine($0)
                })
        }
        for (station, count) in rawValues.sorted(by: { $0.key < $1.key }) {
            table.add([StyledLine("erg/\(station) raw values"), nil, nil, StyledLine("\(count)")])
        }
        return table
    }

    private func line(_ name: String, _ text: String, _ tint: Tint = .plain) -> StyledLine {
        StyledLine(name.padded(to: 15), .heading) + StyledLine(text, tint)
    }

    static func time(_ unixMilliseconds: Int64) -> String {
        CivilTime(unixMilliseconds: unixMilliseconds).rfc3339
    }

    /// The same for programs: one JSON object.
    package var json: [UInt8] {
        JSONWriter.object(write) + [UInt8(ascii: "\n")]
    }

    private func write(into json: inout JSONWriter) {
        json.field("path", path)
        json.field("size_bytes", Int64(clamping: size))
        json.field("segment_bytes", segmentSize)
        json.field("segments", segmentCount)
        json.field("epoch", epoch)
        json.field("messages", messages)
        json.field("first_ts_ms", times?.lowerBound)
        json.field("last_ts_ms", times?.upperBound)
        json.field("unpublished_messages", unpublished)
        json.key("unpublished_pct")
        json.value(Int64((unpublishedFraction * 1000).rounded(.up)), places: 1)
        json.field("damaged_stretches", damage.count)
        json.field("malformed_records", malformed)
        json.field("later_version_records", unknown)
        json.object("streams") { json in
            for (stream, figures) in streams.sorted(by: { $0.key.path < $1.key.path }) {
                json.key(stream.path)
                json.object { json in
                    json.field("oldest_seq", Int64(clamping: figures.oldest))
                    json.field("newest_seq", Int64(clamping: figures.newest))
                    json.field("records", figures.count)
                }
            }
        }
        let values = rawValues.sorted { $0.key < $1.key }
        json.object("raw_values", of: values.map { ($0.key.slug, $0.value) })
    }
}
