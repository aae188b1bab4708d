import PM5Codec

/// What the monitor was set to: its workout type, and the target of a single piece or interval.
package struct Workout: Hashable, Sendable {
    /// The length of the piece, or of an interval where intervals are equal; of the first where
    /// not.
    package enum Target: Hashable, Sendable {
        case none
        case distance(Meters)
        case time(Duration)
        case calories(Int)
        case wattMinutes(Int)
    }

    /// Intervals that are all equal. The monitor does not report it: it is known of workouts that
    /// the gateway put there.
    package struct Repetition: Hashable, Sendable {
        /// How many intervals, at least 1; nil where they go on until the rower stops.
        package var count: Int?
        /// The rest between two intervals.
        package var rest: WorkoutProgram.Rest

        package init(count: Int?, rest: WorkoutProgram.Rest) {
            (self.count, self.rest) = (count, rest)
        }
    }

    /// As the monitor reports it.
    package var type: WorkoutType
    /// `.none` for a just row.
    package var target: Target
    /// nil for single pieces, for intervals that differ, and where nobody knows whether they do.
    package var repetition: Repetition?

    package init(type: WorkoutType, target: Target, repetition: Repetition? = nil) {
        self.type = type
        self.target = target
        self.repetition = repetition
    }

    /// The type to publish. A monitor holds a set number of equal intervals as a variable workout;
    /// they are published as the equal intervals that they are. An undefined rest has no such type.
    package var publishedType: WorkoutType {
        guard type == .variableInterval, repetition != nil else { return type }
        return switch target {
        case .distance: .fixedDistanceInterval
        case .time: .fixedTimeInterval
        case .calories: .fixedCalorieInterval
        case .none, .wattMinutes: type
        }
    }
}

extension WorkoutProgram {
    /// nil for single pieces and for intervals that differ. The rest behind the last interval may
    /// be left out.
    package var repetition: Workout.Repetition? {
        switch plan {
        case .justRow, .justRowWithSplits, .single: return nil
        case .repeating(_, let seconds):
            return Workout.Repetition(count: nil, rest: .seconds(seconds))
        case .intervals(let intervals):
            guard let first = intervals.first, let last = intervals.last,
                intervals.allSatisfy({ $0.work == first.work }),
                intervals.dropLast().allSatisfy({ $0.rest == first.rest }),
                last.rest == first.rest || last.rest == .seconds(0)
            else { return nil }
            return Workout.Repetition(count: intervals.count, rest: first.rest)
        }
    }
}
