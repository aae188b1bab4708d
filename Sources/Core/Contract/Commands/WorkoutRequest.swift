import PM5Codec
import Rowing

/// A requested workout: the program for the monitor, and the targets of its strokes.
package struct WorkoutRequest: Equatable, Sendable {
    package var program: WorkoutProgram
    package var targets = WorkoutTargets()
}

extension WorkoutProgram {
    /// Returns the program with a target pace from the targets, if the program has none: the middle of
    /// the pace band, or the pace for the middle of the power band.
    package func showing(_ targets: WorkoutTargets) -> WorkoutProgram {
        var program = self
        func pace(ofInterval number: Int) -> UInt32? {
            targets.bands(ofInterval: number).flatMap(\.shownPace)
        }
        switch plan {
        case .justRow, .justRowWithSplits: break
        case .single, .repeating:
            program.targetPaceCentisecondsPer500m =
                targetPaceCentisecondsPer500m ?? pace(ofInterval: 1)
        case .intervals(var intervals):
            for index in intervals.indices
            where intervals[index].targetPaceCentisecondsPer500m == nil {
                intervals[index].targetPaceCentisecondsPer500m = pace(ofInterval: index + 1)
            }
            program.plan = .intervals(intervals)
        }
        return program
    }
}

extension TargetBands {
    /// Hundredths of a second per 500 m; nil if there is none or it is outside the limits of a workout.
    fileprivate var shownPace: UInt32? {
        let middle = pace?.middle ?? watts?.middle.flatMap { Self.pace(ofWatts: $0) }
        return middle.flatMap { (6_000...60_000).contains($0) ? UInt32($0) : nil }
    }

    /// W = 2.80 / (s per m)³; for a pace in hundredths of a second per 500 m it is 3.5e14 / pace³.
    private static func pace(ofWatts watts: Int) -> Int? {
        guard watts > 0 else { return nil }
        let cube = 350_000_000_000_000 / watts
        var (low, high) = (0, 100_000)
        while low < high {
            let middle = (low + high + 1) / 2
            if middle * middle * middle <= cube { low = middle } else { high = middle - 1 }
        }
        return low
    }
}
