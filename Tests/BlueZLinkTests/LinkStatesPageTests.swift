import Foundation
import Rowing
import Testing
import Timeline

@testable import BlueZLink

/// LinkStates.md against the code. Method: its diagram and tables are read, and compared with the
/// enums and limits they describe.
struct LinkStatesPageTests {
    private let page: String

    init() throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        page = try String(
            contentsOf: root.appendingPathComponent(
                "Sources/Adapters/BlueZLink/Documentation.docc/LinkStates.md"),
            encoding: .utf8)
    }

    private static let now = BootInstant(nanoseconds: 1_000_000_000)

    /// One of each; the switch below does not compile when a state is missing here.
    private static let states: [LinkMachine.State] = [
        .idle(readyAt: now), .connecting(since: now, cancelledAt: nil),
        .resolving(since: now, wasLinked: false), .checking(deadline: now, nextRead: nil),
        .settingUp(deadline: now), .streaming(lastStatus: now),
        .disconnecting(deadline: now, ready: now),
    ]

    private static func name(of state: LinkMachine.State) -> String {
        switch state {
        case .idle: "idle"
        case .connecting: "connecting"
        case .resolving: "resolving"
        case .checking: "checking"
        case .settingUp: "settingUp"
        case .streaming: "streaming"
        case .disconnecting: "disconnecting"
        }
    }

    /// The cells of the rows that begin with a name in back quotes, by that name, of the section
    /// `title`.
    private func table(_ title: String) throws -> [String: [String]] {
        let section = try #require(page.components(separatedBy: "## \(title)\n").last)
        let rows = section.prefix(upTo: section.range(of: "\n## ")?.lowerBound ?? section.endIndex)
            .split(separator: "\n").filter { $0.hasPrefix("| `") }
        let cells = rows.map { row in
            row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        return Dictionary(
            uniqueKeysWithValues: cells.map {
                ($0[0].trimmingCharacters(in: ["`"]), Array($0.dropFirst()))
            })
    }

    @Test func statesMatchTheCode() throws {
        #expect(try Set(table("The states").keys) == Set(Self.states.map(Self.name)))
    }

    @Test func diagramShowsEveryState() throws {
        let arrows = page.split(separator: "\n").filter { $0.contains("-->") }.map { line in
            line.split(separator: ":")[0].components(separatedBy: "-->")
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
        let names = Set(Self.states.map(Self.name))
        #expect(Set(arrows.map { $0[0] }) == names.union(["[*]"]))
        #expect(Set(arrows.map { $0[1] }) == names)
    }

    @Test func limitsMatchTheCode() throws {
        let limits: [(String, [Duration])] = [
            ("connecting", [LinkMachine.Limit.connect, LinkMachine.Limit.cancel]),
            ("resolving", [LinkMachine.Limit.resolve, LinkMachine.Limit.showLink]),
            ("checking", [LinkMachine.Limit.check]), ("settingUp", [LinkMachine.Limit.setUp]),
            (
                "streaming",
                [LinkTimeouts.silenceLimit, LinkTimeouts.statusLimit, LinkMachine.Limit.firstStatus]
            ),
            ("disconnecting", [LinkMachine.Limit.disconnect]),
        ]
        let table = try table("The states")
        for (state, durations) in limits {
            let cell = try #require(table[state]?[1])
            for duration in durations {
                let words = "\(duration.components.seconds) s"
                #expect(" \(cell)".contains(" \(words)"), "\(state): \(words)")
            }
        }
    }

    @Test func failuresMatchTheCode() throws {
        let table = try table("Failures and recovery")
        #expect(Set(table.keys) == Set(LinkFailure.Kind.allCases.map { "\($0)" }))
        for kind in LinkFailure.Kind.allCases {
            let longest =
                (0..<UInt64(200)).map { seed in
                    var backoff = LinkBackoff(seed: seed)
                    return backoff.delay(after: kind, count: 50)
                }.max() ?? .zero
            let cell = try #require(table["\(kind)"]?[1])
            let seconds = Int((longest / .seconds(1)).rounded())
            #expect(cell.hasPrefix(seconds == 0 ? "none" : "\(seconds) s"), "\(kind)")
        }
    }
}
