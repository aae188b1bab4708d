/// Judges what the probes found: one finding for each thing that a boathouse can get wrong.
enum Checkup {
    static func findings(_ facts: HostFacts) -> [Finding] {
        var findings = [configuration(facts), service(facts.service)]
        findings += bluetooth(facts)
        findings.append(clock(facts.clock))
        findings += load(facts.service)
        findings += disk(facts)
        findings += broker(facts.broker)
        findings += permissions(facts.permissions)
        return findings
    }

    // MARK: - The program

    private static func configuration(_ facts: HostFacts) -> Finding {
        let check = Finding.Check.configuration
        let command = "sudo rowgate --check-config" + facts.configurationOption
        switch facts.configuration {
        case .valid(_, let warnings):
            guard let first = warnings.first else { return .ok(check, "no errors") }
            let more = warnings.count > 1 ? " (and \(warnings.count - 1) more)" : ""
            return .warn(check, first + more, remedy: command)
        case .invalid(let problems):
            let first = problems.first ?? "no reason was given"
            let text = problems.count < 2 ? first : "\(problems.count) errors, the first: \(first)"
            return .fail(check, text, remedy: command)
        case .unknown(let reason, let remedy):
            return .warn(check, reason, remedy: remedy)
        }
    }

    private static func service(_ facts: ServiceFacts) -> Finding {
        switch facts {
        case .running(let status) where status.status == .ok:
            return .ok(.service, "rowgate \(status.gateway.version) runs")
        case .running(let status):
            let reason = status.reasons.first ?? "it says \(status.status.rawValue)"
            let text = "it runs, and says: \(reason)"
            return status.status == .failed
                ? .fail(.service, text, remedy: "rowgatectl status")
                : .warn(.service, text, remedy: "rowgatectl status")
        case .unreachable(let reason, let remedy):
            return .fail(.service, reason, remedy: remedy)
        }
    }

    // MARK: - The machine

    /// Whether the machine keeps up with the room, as the daemon sees it.
    private static func load(_ facts: ServiceFacts) -> [Finding] {
        guard case .running(let status) = facts, let step = status.gateway.loadStep
        else { return [] }
        guard step > 0 else { return [.ok(.load, "the machine keeps up")] }
        let used = status.gateway.cpuPercent.map { "; rowgate uses \($0) % of what it may" } ?? ""
        let delay = status.gateway.queueDelaySeconds.map {
            "; values wait for \(Int(($0 * 1000).rounded())) ms"
        }
        return [
            .warn(
                .load,
                "too slow for the room, so live values come less often (step \(step) of 4)\(used)"
                    + (delay ?? ""),
                remedy:
                    "see what else runs: top; a quota: systemctl show -p CPUQuotaPerSecUSec rowgate; "
                    + "a weak supply slows a Raspberry Pi down too")
        ]
    }

    private static func clock(_ facts: ClockFacts) -> Finding {
        if facts.isSynchronized { return .ok(.clock, "synchronized") }
        let lost =
            facts.hasHardwareClock ? "" : ", and this machine has none that outlives a power cut"
        return .warn(
            .clock, "not synchronized\(lost)",
            remedy: "sudo timedatectl set-ntp true; is the network there?")
    }
}
