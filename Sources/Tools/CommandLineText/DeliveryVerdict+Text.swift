import Contract
import DeliveryProof

/// The verdict for people.
extension DeliveryVerdict {
    /// As text: the verdict, then its reasons.
    package var lines: [StyledLine] {
        var lines = [headline]
        var ring: (gateway: GatewayID, epoch: String)?
        for stream in streams where ring.map({ $0 != (stream.gateway, stream.epoch) }) ?? true {
            let (gateway, epoch) = (stream.gateway, stream.epoch)
            ring = (gateway, epoch)
            lines += [StyledLine(), StyledLine("\(gateway), epoch \(epoch)", .heading)]
            lines += table(streams.filter { $0.gateway == gateway && $0.epoch == epoch })
        }
        lines += section(
            "Not here", streams.flatMap { stream in stream.missing.map { $0.line(stream) } })
        lines += section("Not what was sent", alterations + defectLines)
        lines += section("Sessions", sessions.map(\.line))
        return lines
    }

    private var headline: StyledLine {
        if isEmpty {
            return StyledLine("NOTHING TO PROVE", .warning) + StyledLine(": no record came")
        }
        if isComplete {
            return StyledLine("COMPLETE", .good)
                + StyledLine(": \(expectedCount.counted("record")), \(provenWords)")
        }
        var faults: [String] = []
        if missingCount > 0 {
            faults.append("\(missingCount) of \(expectedCount.counted("record")) missing")
        }
        let altered = streams.reduce(0) { $0 + $1.altered.reduce(0) { $0 + $1.length } }
        if altered > 0 { faults.append("\(altered.counted("number")) with two contents") }
        if defectCount > 0 {
            faults.append("\(defectCount.counted("message")) unreadable")
        }
        let unproven = sessions.count { $0.proof != .proven }
        if unproven > 0 { faults.append("\(unproven.counted("session")) not proven") }
        return StyledLine("INCOMPLETE", .bad) + StyledLine(": " + faults.joined(separator: ", "))
    }

    private var provenWords: String {
        sessions.isEmpty
            ? "no session ended" : sessions.count.counted("session") + " proven"
    }

    private func table(_ streams: [Stream]) -> [StyledLine] {
        var table = TextTable([
            ("ERG", .leading), ("KIND", .leading), ("NUMBERS", .leading), ("RECEIVED", .trailing),
            ("AGAIN", .trailing), ("MISSING", .trailing),
        ])
        for stream in streams {
            let missing = stream.lost.reduce(0) { $0 + $1.sequences.length }
            table.add([
                stream.stream.station.map { StyledLine($0.slug) },
                StyledLine(stream.stream.kind.topicName),
                stream.expected.map { StyledLine($0.text) },
                StyledLine("\(stream.received)"),
                stream.repeats == 0 ? nil : StyledLine("\(stream.repeats)"),
                missing == 0 ? nil : StyledLine("\(missing)", .bad),
            ])
        }
        return table.lines.map { StyledLine("  ") + $0 }
    }

    private func section(_ title: String, _ lines: [StyledLine]) -> [StyledLine] {
        if lines.isEmpty { return [] }
        return [StyledLine(), StyledLine(title, .heading)] + lines.map { StyledLine("  ") + $0 }
    }

    private var alterations: [StyledLine] {
        streams.flatMap { stream in
            stream.altered.map {
                StyledLine("\(stream.stream.path) \($0.text): came twice, with two contents", .bad)
            }
        }
    }

    private var defectLines: [StyledLine] {
        let more = defectCount - defects.count
        return defects.map { StyledLine("\($0.topic): \($0.reason)", .bad) }
            + (more > 0 ? [StyledLine("and \(more) more", .bad)] : [])
    }
}

extension DeliveryVerdict.Missing {
    fileprivate func line(_ stream: DeliveryVerdict.Stream) -> StyledLine {
        let place = "\(stream.stream.path) \(sequences.text): "
        guard let declared else {
            return StyledLine(place + "not declared; a replay may bring it", .bad)
        }
        return declared.line(behind: place)
    }
}

extension GatewayEvent.DropReason {
    /// The gateway's declarations about missing numbers.
    package func line(behind place: String) -> StyledLine {
        let words =
            switch self {
            case .overwritten: "the full ring overwrote it"
            case .unreadable: "the ring cannot be read there"
            case .notDurable: "left free after a power cut"
            case .earlierEpoch: "given out in the epoch before"
            case .erased: "erased with an athlete's records"
            case .tooLong: "longer than the broker takes; rowgatectl log export has it"
            }
        return StyledLine("\(place)declared, \(words)", isLoss ? .bad : .faint)
    }
}

extension DeliveryVerdict.Session {
    fileprivate var line: StyledLine {
        let place = StyledLine("\(id) on \(station), \(strokes.counted("stroke")): ")
        return switch proof {
        case .proven: place + StyledLine("proven", .good)
        case .strokesMissing(let count): place + StyledLine("\(count) missing", .bad)
        case .digestDiffers: place + StyledLine("the digest differs", .bad)
        case .countDiffers(let kind, let received, let count):
            place + StyledLine("\(received) of \(count) \(kind.topicName) records", .bad)
        }
    }
}
