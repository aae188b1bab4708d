import CommandLineText
import ControlSocket

extension WorkoutsReply {
    /// A line for each workout, or how to get one.
    package var lines: [StyledLine] {
        guard !workouts.isEmpty else {
            return [
                StyledLine("no workout has a name; "),
                StyledLine("add a [[workout]] with name and row to /etc/rowgate/rowgate.toml"),
            ]
        }
        var table = TextTable([("WORKOUT", .leading), ("ROW", .leading)])
        for workout in workouts {
            table.add([StyledLine("@" + workout.name), StyledLine(workout.row)])
        }
        return table.lines
    }
}

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
