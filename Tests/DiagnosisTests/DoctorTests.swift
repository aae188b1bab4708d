import ControlSocket
import Foundation
import TestSupport
import Testing

@testable import Diagnosis

/// The expected texts are files; `ROWGATE_UPDATE_GOLDEN=1 swift test` updates them, for a
/// person to look at in the diff.
@Suite struct DoctorTests {
    private static let machines: [(String, HostFacts, Int32)] = [
        ("healthy", .healthy, 0), ("ailing", .ailing, 1), ("broken", .broken, 2),
        ("blind", .blind, 2), ("fresh", .fresh, 2),
        ("clustered", .clustered, 1),
    ]

    @Test(arguments: machines)
    func reportsFindingsWithRemedies(name: String, facts: HostFacts, status: Int32) throws {
        // Four machines, from healthy to broken.
        let report = DoctorReport(Checkup.findings(facts))
        try expect(report.lines.rendered(inColour: false), equals: name + ".txt")
        #expect(report.exitStatus == status)
    }

    @Test(arguments: machines)
    func everyFindingHasARemedy(name: String, facts: HostFacts, status: Int32) {
        for finding in Checkup.findings(facts) {
            #expect((finding.remedy == nil) == (finding.level == .ok), "\(finding)")
        }
    }

    @Test func jsonIsStable() throws {
        try expect(DoctorReport(Checkup.findings(.broken)).jsonText() + "\n", equals: "broken.json")
    }

    @Test func usesSlotsLearntByTheDaemon() {
        // Eight ergs, and an adapter that holds seven links.
        var facts = HostFacts.healthy
        facts.configuration = .valid(
            EffectiveSettings(printed: String(repeating: "[[erg]]\n", count: 8)), warnings: [])
        #expect(level(of: .slots, facts) == .warn)
        facts.service = .unreachable(reason: "", remedy: "")
        #expect(level(of: .slots, facts) == .ok)
    }

    // MARK: - Relays

    private static func relaying(_ adapters: String = #"["hci1"]"#) -> HostFacts {
        var facts = HostFacts.healthy
        facts.configuration = .valid(
            EffectiveSettings(printed: "[bluetooth]\nslots = 7\nrelay_adapters = \(adapters)\n[[erg]]\n"),
            warnings: [])
        facts.bluetooth.adapters.append(
            BluetoothFacts.Adapter(
                name: "hci1", address: "00:1A:7D:DA:71:13", isPowered: true, isBlocked: false,
                isOnboard: false))
        facts.bluetooth.options = ["ReverseServiceDiscovery": "false", "ControllerMode": "le"]
        return facts
    }

    private func relayFindings(_ facts: HostFacts) -> [Finding] {
        Checkup.findings(facts).filter { $0.check == .relay }
    }

    @Test func checksNothingWithoutRelays() {
        #expect(relayFindings(.healthy).isEmpty)
        #expect(relayFindings(Self.relaying("[]")).isEmpty)
    }

    @Test func acceptsARelayThatHasWhatItNeeds() {
        let facts = Self.relaying()
        #expect(relayFindings(facts).map(\.level) == [.ok])
        let slots = Checkup.findings(facts).first { $0.check == .slots }
        #expect(slots?.text == "1 ergs, room for 7 links", "a reserved adapter connects to no monitor")
    }

    @Test func reportsAMissingAdapterOfARelay() {
        let findings = relayFindings(Self.relaying(#"["00:1A:7D:DA:71:13", "hci7"]"#))
        #expect(findings.map(\.level) == [.ok, .warn])
        #expect(findings.last?.text == "adapter hci7 is missing, so no phone finds the relay")
    }

    @Test func reportsOptionsAndVersionsOfBluetoothdThatARelayNeeds() {
        var facts = Self.relaying()
        facts.bluetooth.options = ["ControllerMode": "dual"]
        facts.bluetooth.version = "5.66"
        let texts = relayFindings(facts).filter { $0.level == .warn }.map(\.text)
        #expect(
            texts == [
                "bluetoothd before 5.72 sends all phones the same values; this is 5.66",
                "ReverseServiceDiscovery is not false, so phones may be asked to pair",
                "ControllerMode is not le, so some phones connect to the wrong transport",
            ])
    }

    @Test func reportsARefusedRelay() {
        var (facts, status) = (Self.relaying(), StatusReply.running)
        status.relays = [
            StatusReply.Relay(adapter: "hci1", serial: "430000001", state: "refused", problem: "no room")
        ]
        facts.service = .running(status)
        let finding = relayFindings(facts).first
        #expect(finding?.level == .warn)
        #expect(finding?.text == "bluetoothd refuses the relay on hci1: no room")
    }

    @Test func reportsSlowDisk() {
        var (facts, status) = (HostFacts.healthy, StatusReply.running)
        func lines() -> [Finding] {
            facts.service = .running(status)
            return Checkup.findings(facts).filter { $0.check == .disk }
        }
        status.ring.worstCommitSeconds = 0.03
        #expect(lines().map(\.level) == [.ok, .ok])
        status.ring.worstCommitSeconds = 3.25
        #expect(lines().map(\.level) == [.ok, .warn])
        #expect(lines().last?.text.contains("3250 ms") == true)
    }

    @Test func reportsAthletesOfTheRoster() {
        var (facts, status) = (HostFacts.healthy, StatusReply.running)
        func finding(_ roster: StatusReply.Roster) -> Finding? {
            status.gateway.roster = roster
            facts.service = .running(status)
            return Checkup.findings(facts).first { $0.check == .athletes }
        }
        #expect(finding(.init(source: "file", athletes: 3))?.text == "3 from the roster file")
        #expect(finding(.init(source: "logbook"))?.level == .warn)
        let other = finding(.init(source: "file", athletes: 3, ergsOfOthers: ["erg-1", "erg-4"]))
        #expect(other?.text == "the athlete at erg-1, erg-4 is not in the roster")
        #expect(other?.level == .warn)
    }

    @Test func reportsWearOfSDCard() {
        // A young card, an old one, and one without information.
        var facts = HostFacts.healthy
        facts.disk.lifeUsedPercent = nil
        #expect(level(of: .flashLife, facts) == nil)
        facts.disk.timesWritten = 5
        #expect(level(of: .flashLife, facts) == .ok)
        facts.disk.timesWritten = 500
        #expect(level(of: .flashLife, facts) == .warn)
    }

    @Test func readmeExplainsEveryLine() throws {
        // The table of README.md lists every check and no other.
        let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(
            contentsOf: project.appending(path: "README.md"), encoding: .utf8)
        let section = readme.components(separatedBy: "## Troubleshooting").dropFirst().first
        let rows = try #require(section).components(separatedBy: "\n## ")[0].split(separator: "\n")
            .filter { $0.hasPrefix("|") }.dropFirst(2)
        let explained = rows.map { row in
            row.split(separator: "|")[0].trimmingCharacters(in: .whitespaces)
        }
        #expect(explained == Finding.Check.allCases.map(\.rawValue))
        let complaints = Self.machines.flatMap { Checkup.findings($0.1) }.filter { $0.level != .ok }
        #expect(Set(complaints.map(\.check)) == Set(Finding.Check.allCases))
    }

    private func level(of check: Finding.Check, _ facts: HostFacts) -> Finding.Level? {
        Checkup.findings(facts).first { $0.check == check }?.level
    }

    private func expect(
        _ text: String, equals name: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let golden = try goldenText(name, for: text)
        #expect(text == golden, "\(text)", sourceLocation: sourceLocation)
    }
}
