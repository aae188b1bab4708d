import Timeline

/// A file format for plans.
package enum PlanFormat: String, CaseIterable, Sendable {
    case csv, ics

    /// From a file name's extension.
    package init?(fileName: String) {
        let end = fileName.split(separator: ".", omittingEmptySubsequences: false).last
        self.init(rawValue: (end ?? "").lowercased())
    }

    /// - Parameter stamp: last change of the plan in Unix milliseconds.
    package func bytes(of plan: TrainingPlan, stamp: Int64) -> [UInt8] {
        switch self {
        case .csv: PlanTable.bytes(of: plan)
        case .ics: PlanCalendar.bytes(of: plan, stamp: stamp)
        }
    }

    /// Reads a file; a table has no title.
    ///
    /// - Parameters:
    ///   - plan: events of this plan in a calendar are recognised.
    ///   - calendar: the club's calendar, to which a file's times are converted.
    ///   - zone: finds a time zone by name; nil for an unknown name.
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
