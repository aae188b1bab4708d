import Foundation
import RowgateControl
import TestSupport
import Testing

@testable import Diagnosis

/// What people read is kept in files; `ROWGATE_UPDATE_GOLDEN=1 swift test` writes them anew, for a
/// person to look at in the diff.
@Suite struct DoctorTests {
    private static let machines: [(String, HostFacts, Int32)] = [
        ("healthy", .healthy, 0), ("ailing", .ailing, 1), ("broken", .broken, 2),
        ("blind", .blind, 2),
    ]

    @Test(arguments: machines)
    func whatIsWrongIsSaidWithItsRemedy(name: String, facts: HostFacts, status: Int32) throws {
        // Goal: each finding reads well and lines up. Method: four machines, from well to ill.
        let report = DoctorReport(Checkup.findings(facts))
        try expect(report.lines.rendered(inColour: false), equals: name + ".txt")
        #expect(report.exitStatus == status)
    }

    @Test(arguments: machines)
    func everyComplaintHasARemedy(name: String, facts: HostFacts, status: Int32) {
        // Goal: nobody is left with a complaint alone. Method: every finding of the machines.
        for finding in Checkup.findings(facts) {
            #expect((finding.remedy == nil) == (finding.level == .ok), "\(finding)")
        }
    }

    @Test func findingsForPrograms() throws {
        // Goal: --json is stable: names and order. Method: the broken machine.
        try expect(DoctorReport(Checkup.findings(.broken)).jsonText() + "\n", equals: "broken.json")
    }

    @Test func slotsAreLearntFromTheDaemon() {
        // Goal: what the radios hold counts, not what somebody hopes. Method: eight ergs, and a
        // daemon that found out that its adapter holds seven.
        var facts = HostFacts.healthy
        facts.configuration = .valid(
            EffectiveSettings(printed: String(repeating: "[[erg]]\n", count: 8)), warnings: [])
        #expect(level(of: "slots", facts) == .warn)
        facts.service = .unreachable(reason: "")
        #expect(level(of: "slots", facts) == .ok)
    }

    private func level(of check: String, _ facts: HostFacts) -> Finding.Level? {
        Checkup.findings(facts).first { $0.check == check }?.level
    }

    private func expect(
        _ text: String, equals name: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let golden = try goldenText(name, for: text)
        #expect(text == golden, "\(text)", sourceLocation: sourceLocation)
    }
}
