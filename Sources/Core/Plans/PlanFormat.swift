import Timeline

/// A kind of file that a plan is written as and read from.
package enum PlanFormat: String, CaseIterable, Sendable {
    case csv, ics

    /// The one that a file's name ends with.
    package init?(fileName: String) {
        let end = fileName.split(separator: ".", omittingEmptySubsequences: false).last
        self.init(rawValue: (end ?? "").lowercased())
    }

    /// - Parameter stamp: when the plan was last changed, in Unix milliseconds.
    package func bytes(of plan: TrainingPlan, stamp: Int64) -> [UInt8] {
        switch self {
        case .csv: PlanTable.bytes(of: plan)
        case .ics: PlanCalendar.bytes(of: plan, stamp: stamp)
        }
    }

    /// What a file says; a table has no title.
    ///
    /// - Parameters:
    ///   - plan: whose workouts a calendar's events may be.
    ///   - calendar: of the club, whose days a calendar's times are read as.
    ///   - zone: finds the time zone of a name that a calendar has; nil for an unknown name.
    package func content(
        of bytes: [UInt8], plan: String, in calendar: ClubCalendar,
        zone: (String) -> ClubCalendar?
    ) throws(PlanFault) -> PlanCalendar.Content {
        switch self {
        case .csv: PlanCalendar.Content(title: nil, workouts: try PlanTable.workouts(in: bytes))
        case .ics: try PlanCalendar.content(of: bytes, plan: plan, in: calendar, zone: zone)
        }
    }
}
