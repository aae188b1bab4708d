import Bytes
import CommandLineText
import LogbookStores
import MQTTClient

/// Judges what was found of a logbook: one line for each thing that can be wrong with it.
package struct LogbookCheckup: Equatable, Sendable {
    package let findings: [CheckupLine]

    /// A season of eight ergs takes a few of these.
    private static let leastFreeBytes = 512 << 20
    /// A commit may need this much.
    private static let fullBytes = 1 << 20
    /// As long as the longest record that a gateway publishes.
    private static let longestMessage: UInt32 = 64 * 1024

    package init(_ facts: LogbookFacts) {
        findings =
            [Self.configuration(facts)] + Self.broker(facts.broker) + Self.pages(facts.pages)
            + Self.store(facts) + Self.running(facts.running) + Self.disk(facts.disk) + [Self.clock(facts.isClockRight)]
            + Self.tokens(facts.tokens, facts.pages) + Self.erasures(facts.errands)
    }

    package var verdict: CheckupLine.Level { .worst(of: findings.map(\.level)) }

    private static func configuration(_ facts: LogbookFacts) -> CheckupLine {
        guard let first = facts.problems.first else {
            return CheckupLine("configuration", .ok, "\(facts.configurationPath) has no errors")
        }
        let count = facts.problems.count
        return CheckupLine(
            "configuration", .fail,
            count == 1 ? first : "\(count) errors, the first: \(first)",
            remedy: "sudo rowgate-logbook --check-config --config \(facts.configurationPath)")
    }

    // MARK: The broker

    private static func broker(_ facts: LogbookFacts.Broker?) -> [CheckupLine] {
        guard let facts else {
            return [
                CheckupLine(
                    "broker", .warn, "not tried: the configuration is not right",
                    remedy: "first mend what the line configuration says")
            ]
        }
        switch facts.outcome {
        case .failed(let failure):
            return [
                CheckupLine(
                    "broker", .fail, "\(facts.address): \(failure.cause)",
                    remedy: failure.remedy
                        ?? "start it; for mosquitto, journalctl -u mosquitto -n 20")
            ]
        case .publishDenied(_, let failure):
            return [
                CheckupLine(
                    "broker", .fail,
                    "\(facts.address) does not let us hear \(facts.filter): \(failure.cause)",
                    remedy: "let the logbook's user read \(facts.filter) and write to "
                        + "rowgate/v1/+/cmd/#; for mosquitto, in its acl_file")
            ]
        case .accepted(let milliseconds, let terms):
            return [answers(facts, milliseconds)] + limits(terms)
        case .publishUncertain(let milliseconds): return [answers(facts, milliseconds)]
        }
    }

    private static func answers(_ facts: LogbookFacts.Broker, _ milliseconds: Int) -> CheckupLine {
        CheckupLine(
            "broker", .ok,
            "\(facts.address) lets us hear \(facts.filter), after \(milliseconds) ms")
    }

    private static func limits(_ terms: BrokerTerms) -> [CheckupLine] {
        var lines: [CheckupLine] = []
        if !terms.keepsRetained {
            lines.append(
                CheckupLine(
                    "limits", .warn,
                    "the broker keeps no messages for later: which gateways are there shows when "
                        + "they say something",
                    remedy: "let it keep retained messages"))
        }
        if let bytes = terms.maximumPacketBytes, bytes < longestMessage {
            lines.append(
                CheckupLine(
                    "limits", .warn,
                    "the broker passes on no message longer than \(bytes) bytes: longer records do "
                        + "not come",
                    remedy: "let it take \(longestMessage) bytes; for mosquitto, max_packet_size"))
        }
        return lines
    }

    // MARK: Pages

    private static func pages(_ facts: LogbookFacts.Pages?) -> [CheckupLine] {
        guard let facts else { return [] }
        if facts.isServed { return [CheckupLine("pages", .ok, "http://\(facts.address)/ answers")] }
        return [
            CheckupLine(
                "pages", .fail, "nobody answers at \(facts.address)",
                remedy: "sudo systemctl start rowgate-logbook; journalctl -u rowgate-logbook -n 20")
        ]
    }

    // MARK: Records

    private static func store(_ facts: LogbookFacts) -> [CheckupLine] {
        switch facts.store {
        case nil:
            return [
                CheckupLine(
                    "store", .warn, "no records are kept",
                    remedy: "add path = \"/var/lib/rowgate-logbook/logbook.db\" below [store]")
            ]
        case .failed(let failure):
            return [
                CheckupLine(
                    "store", .fail, "\(failure.place): \(failure.cause)",
                    remedy: failure.remedy ?? "journalctl -u rowgate-logbook -n 20")
            ]
        case .read(let place, let size, let gateways):
            let words =
                "\(size.records.counted("record")) in \(ReadableFigures.storage(size.bytes)), "
                + "\(gateways.count.counted("gateway")): \(place)"
            return [CheckupLine("store", .ok, words)]
                + sharing(facts.sharers, gateways.map(\.gateway)) + gateways.flatMap(holes)
        }
    }

    /// What is not here of a gateway.
    private static func holes(_ gateway: GatewayAccount) -> [CheckupLine] {
        var lines: [CheckupLine] = []
        let id = gateway.gateway
        if gateway.owed > 0 {
            lines.append(
                CheckupLine(
                    "holes", .warn,
                    "\(id): \(Int(clamping: gateway.owed).counted("record")) not here, asked for when "
                        + "the gateway is there",
                    remedy:
                        "is it there? rowgate-logbook gateways; may the logbook's user write to "
                        + "rowgate/v1/+/cmd/#?"))
        }
        if let worst = gateway.refusals.max(by: { $0.times < $1.times }) {
            let times = gateway.refusals.reduce(0) { $0 + $1.times }
            lines.append(
                CheckupLine(
                    "refused", .warn,
                    "\(id): \(Int(clamping: times).counted("message")) refused, mostly because "
                        + worst.reason,
                    remedy:
                        "rowgate-logbook gateways lists the reasons; do the gateway and the logbook "
                        + "have the same version? who else may publish below rowgate/v1/\(id)/?"))
        }
        let lost = gateway.gone + gateway.declared
        if lost > 0 {
            lines.append(
                CheckupLine(
                    "holes", .warn,
                    "\(id): \(Int(clamping: lost).counted("record")) nobody has any more",
                    remedy:
                        "rowgate-logbook check says which; a longer ring (ring.size_mib) reaches "
                        + "back further"))
        }
        if gateway.conflicts > 0 {
            lines.append(
                CheckupLine(
                    "holes", .warn,
                    "\(id): \(Int(clamping: gateway.conflicts).counted("record")) came again with "
                        + "another content",
                    remedy: "rowgate-logbook check says which; do two gateways have one id?"))
        }
        let isMissing = gateway.missing > 0 || gateway.conflicts > 0
        return lines
            + (isMissing ? [] : [CheckupLine("holes", .ok, "\(id): nothing is missing")])
    }

    // MARK: The machine

    private static func disk(_ facts: LogbookFacts.Disk?) -> [CheckupLine] {
        guard let facts else { return [] }
        if facts.isReadOnly {
            return [
                CheckupLine(
                    "disk", .fail, "the file system of \(facts.path) is read-only",
                    remedy: "journalctl -k -g 'mmc|I/O error'; a worn SD card turns so: replace it")
            ]
        }
        let free = "\(ReadableFigures.storage(facts.freeBytes)) free beside \(facts.path)"
        if facts.freeBytes >= leastFreeBytes { return [CheckupLine("disk", .ok, free)] }
        let isFull = facts.freeBytes < Self.fullBytes
        let consequence = ", and no record can be stored: what comes waits in memory"
        return [
            CheckupLine(
                "disk", isFull ? .fail : .warn, free + (isFull ? consequence : ""),
                remedy: "sudo apt clean; sudo journalctl --vacuum-size=100M; or keep_force_days "
                    + "below [store]")
        ]
    }

    private static func clock(_ isRight: Bool) -> CheckupLine {
        isRight
            ? CheckupLine("clock", .ok, "synchronized")
            : CheckupLine(
                "clock", .warn, "not synchronized: old records are not removed meanwhile",
                remedy: "sudo timedatectl set-ntp true; is the network there?")
    }

    // MARK: Who may

    private static func tokens(
        _ facts: LogbookFacts.Tokens?, _ pages: LogbookFacts.Pages?
    ) -> [CheckupLine] {
        switch facts {
        case nil: return []
        case .unreadable(let words):
            return [CheckupLine("tokens", .fail, words, remedy: "sudo rowgate-logbook doctor")]
        case .held(let path, _, _, let mode?) where mode & 0o077 != 0:
            return [
                CheckupLine(
                    "tokens", .warn, "others on this machine may read \(path)",
                    remedy: "sudo chmod 600 \(path)")
            ]
        case .held(_, _, 0, _):
            return [
                CheckupLine(
                    "tokens", .warn, "no coach has a token: nobody can sign in",
                    remedy: "sudo -u rowgate-logbook rowgate-logbook token add NAME --role coach")
            ]
        case .held(_, let count, let coaches, _):
            let open = pages?.isOpen == true ? "; pages are open to the network" : ""
            return [
                CheckupLine(
                    "tokens", .ok,
                    "\(count.counted("token")), of which \(coaches) for coaches\(open)")
            ]
        }
    }

    /// Whom the logbook forgot and a gateway still knows. Nobody is named: what doctor says is sent around.
    private static func erasures(
        _ errands: Result<[Errand], ErrandFile.Fault>?
    ) -> [CheckupLine] {
        switch errands {
        case nil: return []
        case .failure(let fault):
            return [
                CheckupLine(
                    "erasures", .fail, "\(fault)",
                    remedy: "remove the line that it names; then athlete forget ID --yes again")
            ]
        case .success(let errands):
            var refusals: [String: String] = [:]
            for errand in errands {
                guard case .waiting(let words) = errand.state else { continue }
                refusals[errand.gateway.slug] = words ?? refusals[errand.gateway.slug] ?? ""
            }
            guard !refusals.isEmpty else { return [] }
            let gateways = refusals.keys.sorted().map { gateway in
                let words = refusals[gateway] ?? ""
                return words.isEmpty ? gateway : "\(gateway) (\(words))"
            }
            return [
                CheckupLine(
                    "erasures", .warn,
                    "who was forgotten here is not forgotten yet by " + gateways.joined(separator: ", "),
                    remedy: "is it there, with forget = true below [commands]? "
                        + "sudo -u rowgate-logbook rowgate-logbook athlete erasures")
            ]
        }
    }

    // MARK: For programs

    /// One object, like that of `rowgatectl doctor`.
    package var json: String {
        var json = JSONWriter()
        json.beginObject()
        json.field("verdict", verdict.rawValue)
        json.list("findings", of: findings) { json, finding in
            json.field("check", finding.check)
            json.field("level", finding.level.rawValue)
            json.field("text", finding.text)
            json.field("remedy", finding.remedy)
        }
        json.endObject()
        return String(decoding: json.bytes, as: UTF8.self)
    }
}
