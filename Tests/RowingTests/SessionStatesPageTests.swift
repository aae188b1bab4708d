import Foundation
import Testing

@testable import Rowing

/// Compares `SessionStates.md` with the code.
@Suite struct SessionStatesPageTests {
    private static let page = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Sources/Core/Rowing/Documentation.docc/SessionStates.md")

    /// The names in the first column of the table whose head begins with `column`.
    private static func names(under column: String) throws -> [String] {
        let text = try String(contentsOf: page, encoding: .utf8)
        let table = text.components(separatedBy: "\n")
            .drop { !$0.hasPrefix("| \(column) |") }.dropFirst(2).prefix { $0.hasPrefix("| `") }
        return table.compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) }
    }

    @Test func listsEveryStateInTables() throws {
        #expect(
            try Self.names(under: "stage") == SessionHead.Stage.allCases.map { "\($0)" })
        #expect(try Self.names(under: "phase") == PiecePhase.allCases.map { "\($0)" })
        #expect(try Self.names(under: "activity") == ActivityState.allCases.map(\.rawValue))
    }

    @Test func drawsEveryStageInDiagram() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let arrows = text.components(separatedBy: "\n").filter { $0.contains("-->") }.map {
            $0.components(separatedBy: ":")[0].components(separatedBy: "-->").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        }
        let stages = Set(SessionHead.Stage.allCases.map { "\($0)" })
        #expect(Set(arrows.map { $0[0] }).subtracting(["[*]"]) == stages)
        #expect(Set(arrows.map { $0[1] }).subtracting(["[*]"]) == stages)
    }
}
