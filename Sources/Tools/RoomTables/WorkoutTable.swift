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
