import Contract
import ControlSocket

/// Turns the facts of the probes into findings.
///
/// Problems that a running gateway reports become findings unchanged. The checks here add causes,
/// and facts that a gateway cannot see. A finding that the gateway reports too has the same
/// severity.
enum Checkup {
    static func findings(_ facts: HostFacts) -> [Finding] {
        var own = bluetooth(facts)
        own.append(clock(facts))
        own += load(facts.service)
        own += disk(facts)
        own += broker(facts.broker)
        own += athletes(facts.service)
        own += permissions(facts.permissions)
        return [configuration(facts)] + service(facts.service, excluding: own) + own
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

    /// Whether the gateway runs, and each of its problems that none of the `own` findings shows.
    private static func service(_ facts: ServiceFacts, excluding own: [Finding]) -> [Finding] {
        switch facts {
        case .running(let status):
            let shown = Set(own.filter { $0.level != .ok }.map(\.check))
            let problems = status.reportedProblems.filter { problem in
                let check = HealthProblem.Code(rawValue: problem.code)?.check
                return check.map { !shown.contains($0) } ?? true
            }
            return [.ok(.service, "rowgate \(status.gateway.version) runs")]
                + problems.map(Finding.init)
        case .unreachable(let reason, let remedy):
            return [.fail(.service, reason, remedy: remedy)]
        }
    }

    /// Whether the gateway has the athletes of the logbook, and whether others are assigned. Nothing without a
    /// roster: then everybody can be assigned.
    private static func athletes(_ facts: ServiceFacts) -> [Finding] {
        guard case .running(let status) = facts, let roster = status.gateway.roster else { return [] }
        guard let count = roster.athletes else {
            return [
                .warn(
                    .athletes,
                    "no logbook has sent its athletes yet, so any athlete id can be assigned",
                    remedy: "sudo rowgate-logbook doctor; the broker's access list must allow the "
                        + "logbook to write to cmd/roster of this gateway")
            ]
        }
        if !roster.ergsOfOthers.isEmpty {
            let ergs = roster.ergsOfOthers.joined(separator: ", ")
            return [
                .warn(
                    .athletes, "the athlete at \(ergs) is not in the roster",
                    remedy: "add the athlete there, or assign another one: rowgatectl assign ERG ATHLETE")
            ]
        }
        let source = roster.logbook.map { "the logbook \($0)" } ?? "the roster file"
        return [.ok(.athletes, "\(count) from \(source)")]
    }

    // MARK: - The machine

    /// Whether the machine keeps up with the room, according to the daemon.
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

    /// A machine without a battery-backed clock has the time a while after it has a network. The
    /// gateway reports it after that.
    private static func clock(_ facts: HostFacts) -> Finding {
        if facts.clock.isSynchronized { return .ok(.clock, "synchronised") }
        let lost = facts.clock.hasHardwareClock ? "" : ", and no battery-backed clock"
        if case .running(let status) = facts.service, !status.hasReportedProblem(.clock) {
            return .ok(.clock, "not synchronised yet\(lost)")
        }
        return Finding(
            .clock, .clock, "not synchronised\(lost)",
            remedy: "sudo timedatectl set-ntp true; check that the network is up")
    }
}
