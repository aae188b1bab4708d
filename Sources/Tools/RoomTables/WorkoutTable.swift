import CommandLineText
import Contract
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

/// A workout as the control socket passes it on. Changes nothing.
extension WorkoutNotation {
    package var arguments: [String: ForeignValue] { fields.mapValues(ForeignValue.init) }
}

extension ForeignValue {
    fileprivate init(_ value: WorkoutNotation.Value) {
        self =
            switch value {
            case .flag(let flag): .flag(flag)
            case .integer(let number): .integer(number)
            case .centi(let hundredths): .number(Double(hundredths) / 100)
            case .text(let text): .text(text)
            case .list(let values): .list(values.map(ForeignValue.init))
            case .object(let fields): .object(fields.mapValues(ForeignValue.init))
            }
    }
}
