extension GroupPiece {
    /// The length of all work of the piece: of a single piece, or of all intervals without their rests.
    ///
    /// - Parameter columns: the columns of its result, for intervals whose number or lengths the workout does not
    ///   contain.
    /// - Returns: nil without a set workout, and if a length is unknown or the lengths are of different kinds.
    package func workLength(in columns: [GroupWorkout.Length?]) -> GroupWorkout.Length? {
        guard let workout else { return nil }
        guard workout.type == "intervals" else { return workout.length }
        if let length = workout.length, let count = workout.intervalCount {
            return Self.sum(of: Array(repeating: length, count: count))
        }
        let known = columns.compactMap(\.self)
        return known.count == columns.count ? Self.sum(of: known) : nil
    }

    private static func sum(of lengths: [GroupWorkout.Length]) -> GroupWorkout.Length? {
        guard let first = lengths.first else { return nil }
        return lengths.dropFirst().reduce(first as GroupWorkout.Length?) { sum, next in
            switch (sum, next) {
            case (.metres(let sum), .metres(let next)): .metres(sum + next)
            case (.seconds(let sum), .seconds(let next)): .seconds(sum + next)
            case (.kilocalories(let sum), .kilocalories(let next)): .kilocalories(sum + next)
            case (.wattMinutes(let sum), .wattMinutes(let next)): .wattMinutes(sum + next)
            default: nil
            }
        }
    }
}
