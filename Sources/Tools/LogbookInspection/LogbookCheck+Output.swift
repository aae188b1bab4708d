import Bytes
import CommandLineText
import Contract
import DeliveryProof
import LogbookStores

/// Output of the check. Changes nothing.
extension LogbookCheck {
    /// The verdict first, then the details.
    package var lines: [StyledLine] {
        var lines = summary
        var ring: (gateway: GatewayID, epoch: String)?
        for stream in streams.map(\.state.stream)
        where ring.map({ $0 != (stream.gateway, stream.epoch) }) ?? true {
            ring = (stream.gateway, stream.epoch)
            lines += [
                StyledLine(), StyledLine("\(stream.gateway), epoch \(stream.epoch)", .heading),
            ]
            lines += table(
                streams.filter {
                    $0.state.stream.gateway == stream.gateway
                        && $0.state.stream.epoch == stream.epoch
                })
        }
        lines += section("Missing", streams.flatMap(\.missingLines))
        lines += section(
            "Removed on purpose",
            streams.flatMap { stream in
                stream.state.removed.ranges.map {
                    StyledLine("\(stream.state.stream.label) \($0.text)", .faint)
                }
            })
        lines += section("Conflicting content", conflicts.prefix(10).map(\.line))
        lines += section("Sessions", doubts.map(\.line))
        lines += section(
            "Foreign strokes, which are not in the manifest and not counted",
            foreign.map { session in
                StyledLine(
                    "\(session.name.session) on \(session.station): "
                        + session.foreignStrokes.counted("stroke"), .warning)
            })
        lines += section("Store", faults.map { StyledLine($0, .bad) })
        return lines
    }

    /// The verdict, and the size of the store.
    package var summary: [StyledLine] {
        [headline, StyledLine("\(place): \(sizeWords)", .faint)]
    }

    private var headline: StyledLine {
        let sessions = verified.counted("session") + " verified"
        if isComplete {
            return StyledLine("COMPLETE", .good)
                + StyledLine(": \(size.records.counted("record")), \(sessions)\(openWords)")
        }
        if size.records == 0, lost == 0, faults.isEmpty {
            return StyledLine("EMPTY", .warning) + StyledLine(": no records yet")
        }
        var found: [String] = []
        if lost > 0 { found.append("\(lost.counted("record")) missing") }
        if !conflicts.isEmpty {
            found.append("\(conflicts.count.counted("number")) with conflicting content")
        }
        if !doubts.isEmpty { found.append("\(doubts.count.counted("session")) not verified") }
        if !faults.isEmpty { found.append("the store is damaged") }
        return StyledLine("INCOMPLETE", .bad)
            + StyledLine(": \(found.joined(separator: ", ")); \(sessions)\(openWords)")
    }

    private var openWords: String { open > 0 ? ", \(open) without a manifest yet" : "" }

    private var sizeWords: String {
        "\(size.records.counted("record")) in \(ValueFormatter.storage(size.bytes))"
            + (bytesPerYear.map { "; \(Self.words(forBytesPerYear: $0))" } ?? "")
    }

    /// `a year needs about 310 MiB at the pace of the last 4 weeks`
    static func words(forBytesPerYear bytes: Int) -> String {
        "a year needs about \(ValueFormatter.storage(bytes)) at the pace of the last 4 weeks"
    }

    private func table(_ streams: [StreamSummary]) -> [StyledLine] {
        var table = TextTable([
            ("ERG", .leading), ("KIND", .leading), ("NUMBERS", .leading), ("STORED", .trailing),
            ("REPEATED", .trailing), ("MISSING", .trailing),
        ])
        for stream in streams {
            let state = stream.state
            table.add([
                state.stream.stream.station.map { StyledLine($0.slug) },
                StyledLine(state.stream.stream.kind.topicName),
                state.extent.expected.map { StyledLine($0.text) },
                StyledLine("\(state.extent.received.count)"),
                state.repeats == 0 ? nil : StyledLine("\(state.repeats)"),
                stream.lost == 0 ? nil : StyledLine("\(stream.lost)", .bad),
            ])
        }
        return table.lines.map { StyledLine("  ") + $0 }
    }

    private func section(_ title: String, _ lines: [StyledLine]) -> [StyledLine] {
        if lines.isEmpty { return [] }
        return [StyledLine(), StyledLine(title, .heading)] + lines.map { StyledLine("  ") + $0 }
    }

    /// JSON object for programs.
    package var json: String {
        var json = JSONWriter()
        json.beginObject()
        json.field("complete", isComplete)
        json.field("store", place)
        json.field("records", size.records)
        json.field("bytes", size.bytes)
        json.field("bytes_per_year", bytesPerYear)
        json.field("missing", lost)
        json.field("removed", removed)
        json.key("streams")
        json.beginArray()
        for stream in streams { json.object { stream.write(into: &$0) } }
        json.endArray()
        json.field("sessions_verified", verified)
        json.field("sessions_open", open)
        json.key("sessions_not_verified")
        json.beginArray()
        for doubt in doubts { json.object(doubt.session.write) }
        json.endArray()
        json.list("sessions_with_foreign_strokes", of: foreign) { $1.write(into: &$0) }
        json.field("conflicts", conflicts.count)
        json.field("faults", faults)
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension StreamSummary {
    fileprivate var missingLines: [StyledLine] {
        missing.map { missing in
            let place = "\(state.stream.label) \(missing.sequences.text): "
            return switch missing.cause {
            case .unknown: StyledLine(place + "will be requested once the gateway is connected", .warning)
            case .gone: StyledLine(place + "lost, the gateway no longer has it", .bad)
            case .refused: StyledLine(place + "refused on arrival", .bad)
            case .declared(let reason): reason.line(behind: place)
            }
        }
    }
}

extension LogbookCheck.Doubt {
    var line: StyledLine {
        let place = StyledLine("\(session.name.session) on \(session.station): ")
        let words =
            switch proof {
            case nil where session.isThinned:
                "\(session.state.rawValue), as judged before some of its records were removed"
            case nil: "its manifest cannot be read"
            case .proven: "verified"
            case .strokesMissing(let count): "\(count.counted("stroke")) missing"
            case .digestDiffers: "its strokes do not match the manifest"
            case .countDiffers(let kind, let received, let count):
                "\(received) of \(count) \(kind.topicName) records"
            }
        let isOver = session.state == .gone || session.state == .differs
        return place
            + StyledLine(
                words + (session.state == .gone && proof != nil ? ", permanently" : ""),
                isOver ? .bad : .warning)
    }
}

extension StoredConflict {
    fileprivate var line: StyledLine {
        StyledLine(
            "\(stream.label) \(sequence): the first content is stored, a different one arrived "
                + (times == 1 ? "once" : "\(times) times"), .bad)
    }
}
