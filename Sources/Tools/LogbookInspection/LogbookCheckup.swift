import Bytes
import CommandLineText
import Contract
import LogbookStores
import MQTTClient

/// Evaluates the facts about a logbook: one line for each possible problem.
package struct LogbookCheckup: Equatable, Sendable {
    package let findings: [CheckupLine]

    /// A season of eight ergs takes a few times this.
    private static let leastFreeBytes = 512 << 20
    /// Minimum free space for a commit.
    private static let fullBytes = 1 << 20
    /// The longest record that a gateway publishes.
    private static let longestMessage: UInt32 = 64 * 1024

    package init(_ facts: LogbookFacts) {
        findings =
            [Self.configuration(facts)] + Self.broker(facts.broker, facts.topicPrefix)
            + Self.pages(facts.pages)
            + Self.store(facts) + Self.running(facts.running) + Self.disk(facts.disk)
            + [Self.clock(facts.isClockRight)] + Self.tokens(facts)
            + Self.erasures(facts.erasureRequests)
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

    // MARK: Broker

    private static func broker(
        _ facts: LogbookFacts.Broker?, _ prefix: TopicPrefix
    ) -> [CheckupLine] {
        guard let facts else {
            return [
                CheckupLine(
                    "broker", .warn, "not tried: the configuration has errors",
                    remedy: "fix the configuration errors first")
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
                    "\(facts.address) refused the subscription to \(facts.filter): \(failure.cause)",
                    remedy: "allow the logbook's user to read \(facts.filter) and to write to "
                        + "\(prefix.commandFilter); for mosquitto, in its acl_file")
            ]
        case .accepted(let milliseconds, let terms):
            return [answers(facts, milliseconds)] + limits(terms)
        case .publishUncertain(let milliseconds): return [answers(facts, milliseconds)]
        }
    }

    private static func answers(_ facts: LogbookFacts.Broker, _ milliseconds: Int) -> CheckupLine {
        CheckupLine(
            "broker", .ok,
            "\(facts.address) accepted the subscription to \(facts.filter) after \(milliseconds) ms")
    }

    private static func limits(_ terms: BrokerLimits) -> [CheckupLine] {
        var lines: [CheckupLine] = []
        if !terms.supportsRetained {
            lines.append(
                CheckupLine(
                    "limits", .warn,
                    "the broker stores no retained messages: a gateway's state is unknown until it "
                        + "publishes again",
                    remedy: "enable retained messages"))
        }
        if let bytes = terms.maximumPacketBytes, bytes < longestMessage {
            lines.append(
                CheckupLine(
                    "limits", .warn,
                    "the broker drops messages longer than \(bytes) bytes, so longer records are "
                        + "lost",
                    remedy: "allow \(longestMessage) bytes; for mosquitto, max_packet_size"))
        }
        return lines
    }

    // MARK: Pages

    private static func pages(_ facts: LogbookFacts.Pages?) -> [CheckupLine] {
        guard let facts else { return [] }
        if facts.isServed { return [CheckupLine("pages", .ok, "http://\(facts.address)/ answers")] }
        return [
            CheckupLine(
                "pages", .fail, "no answer at \(facts.address)",
                remedy: "sudo systemctl start rowgate-logbook; journalctl -u rowgate-logbook -n 20")
        ]
    }

    // MARK: Records

    private static func store(_ facts: LogbookFacts) -> [CheckupLine] {
        switch facts.store {
        case nil:
            return [
                CheckupLine(
                    "store", .warn, "no store is configured",
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
                "\(size.records.counted("record")) in \(ValueFormatter.storage(size.bytes)), "
                + "\(gateways.count.counted("gateway")): \(place)"
            return [CheckupLine("store", .ok, words)]
                + sharing(facts.sharers, gateways.map(\.gateway))
                + gateways.flatMap { holes($0, facts.topicPrefix) }
        }
    }

    /// Missing records of a gateway.
    private static func holes(_ gateway: GatewaySummary, _ prefix: TopicPrefix) -> [CheckupLine] {
        var lines: [CheckupLine] = []
        let id = gateway.gateway
        if gateway.pending > 0 {
            lines.append(
                CheckupLine(
                    "holes", .warn,
                    "\(id): \(Int(clamping: gateway.pending).counted("record")) missing, to be requested "
                        + "once the gateway is connected",
                    remedy:
                        "check its state with rowgate-logbook gateways; the logbook's user needs write "
                        + "access to \(prefix.commandFilter)"))
        }
        if let worst = gateway.refusals.max(by: { $0.times < $1.times }) {
            let times = gateway.refusals.reduce(0) { $0 + $1.times }
            lines.append(
                CheckupLine(
                    "refused", .warn,
                    "\(id): \(Int(clamping: times).counted("message")) refused, mostly because "
                        + worst.reason,
                    remedy:
                        "rowgate-logbook gateways lists the reasons; install the same version on gateway "
                        + "and logbook; check who else may publish to \(prefix.filter(of: id))"))
        }
        let lost = gateway.gone + gateway.declared
        if lost > 0 {
            lines.append(
                CheckupLine(
                    "holes", .warn,
                    "\(id): \(Int(clamping: lost).counted("record")) lost",
                    remedy:
                        "rowgate-logbook check lists them; a larger ring (ring.size_mib) covers a "
                        + "longer time"))
        }
        if gateway.conflicts > 0 {
            lines.append(
                CheckupLine(
                    "holes", .warn,
                    "\(id): \(Int(clamping: gateway.conflicts).counted("record")) repeated with "
                        + "different content",
                    remedy: "rowgate-logbook check lists them; check that no two gateways have the same id"))
        }
        let isMissing = gateway.missing > 0 || gateway.conflicts > 0
        return lines
            + (isMissing ? [] : [CheckupLine("holes", .ok, "\(id): nothing is missing")])
    }

    // MARK: Machine

    private static func disk(_ facts: LogbookFacts.Disk?) -> [CheckupLine] {
        guard let facts else { return [] }
        if facts.isReadOnly {
            return [
                CheckupLine(
                    "disk", .fail, "the file system of \(facts.path) is read-only",
                    remedy: "journalctl -k -g 'mmc|I/O error'; a worn SD card becomes read-only: replace it")
            ]
        }
        let growth = facts.bytesPerYear.map { "; \(LogbookCheck.words(forBytesPerYear: $0))" } ?? ""
        let free = "\(ValueFormatter.storage(facts.freeBytes)) free at \(facts.path)\(growth)"
        let isYearFree = facts.freeBytes >= facts.bytesPerYear ?? 0
        if facts.freeBytes >= leastFreeBytes, isYearFree { return [CheckupLine("disk", .ok, free)] }
        if facts.freeBytes >= leastFreeBytes {
            return [
                CheckupLine(
                    "disk", .warn, "\(free), so the disk will be full in less than a year",
                    remedy: "keep_force_days below [store], or a larger disk")
            ]
        }
        let isFull = facts.freeBytes < Self.fullBytes
        let consequence = ", too little to store records: new ones wait in memory"
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
                remedy: "sudo timedatectl set-ntp true; check the network")
    }

    // MARK: Permissions

    private static func tokens(_ facts: LogbookFacts) -> [CheckupLine] {
        let users = facts.signedInCoaches ?? 0
        switch facts.tokens {
        case nil: return []
        case .unreadable(let words):
            return [CheckupLine("tokens", .fail, words, remedy: "sudo rowgate-logbook doctor")]
        case .held(let path, _, _, let mode?) where mode & 0o077 != 0:
            return [
                CheckupLine(
                    "tokens", .warn, "others on this machine may read \(path)",
                    remedy: "sudo chmod 600 \(path)")
            ]
        case .held(_, _, 0, _) where users == 0:
            // Invitations need a store.
            let command =
                facts.signedInCoaches == nil ? "token add NAME --role coach" : "invite --role captain"
            return [
                CheckupLine(
                    "tokens", .warn, "no coach has signed in or has a token",
                    remedy: "sudo -u rowgate-logbook rowgate-logbook \(command)")
            ]
        case .held(_, let count, let coaches, _):
            let open = facts.pages?.isOpen == true ? "; pages are open to the network" : ""
            let people = users > 0 ? "; \(users.counted("coach", "es")) signed in" : ""
            return [
                CheckupLine(
                    "tokens", .ok,
                    "\(count.counted("token")), of which \(coaches) for coaches\(people)\(open)")
            ]
        }
    }

    /// Gateways that still have records of erased athletes. No athlete is named, because people pass on the
    /// doctor's output.
    private static func erasures(
        _ requests: Result<[ErasureRequest], ErasureRequestFile.Fault>?
    ) -> [CheckupLine] {
        switch requests {
        case nil: return []
        case .failure(let fault):
            return [
                CheckupLine(
                    "erasures", .fail, "\(fault)",
                    remedy: "remove that line, then repeat athlete forget ID --yes")
            ]
        case .success(let requests):
            var refusals: [String: String] = [:]
            for request in requests {
                guard case .waiting(let refusal) = request.state else { continue }
                refusals[request.gateway.slug] = refusal ?? refusals[request.gateway.slug] ?? ""
            }
            guard !refusals.isEmpty else { return [] }
            let gateways = refusals.keys.sorted().map { gateway in
                let words = refusals[gateway] ?? ""
                return words.isEmpty ? gateway : "\(gateway) (\(words))"
            }
            return [
                CheckupLine(
                    "erasures", .warn,
                    "erasures are pending at " + gateways.joined(separator: ", "),
                    remedy: "each gateway must be connected and have forget = true below [commands]; "
                        + "sudo -u rowgate-logbook rowgate-logbook athlete erasures")
            ]
        }
    }

    // MARK: JSON

    /// JSON object, like that of `rowgatectl doctor`.
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
