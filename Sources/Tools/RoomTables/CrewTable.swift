import CommandLineText
import ControlSocket

/// The crews, one line each.
package struct CrewTable: Sendable {
    private let crews: [StatusReply.Crew]

    package init(_ status: StatusReply) { crews = status.crews }

    /// In the order of the configuration, then as they were named; or that there is none.
    package var lines: [StyledLine] {
        guard !crews.isEmpty else {
            return [StyledLine("there is no crew; rowgatectl crew NAME ERG... names one")]
        }
        var table = TextTable([("CREW", .leading), ("ERGS", .leading)])
        for crew in crews {
            table.add([StyledLine(crew.name), StyledLine(crew.ergs.joined(separator: " "))])
        }
        return table.lines
    }
}
