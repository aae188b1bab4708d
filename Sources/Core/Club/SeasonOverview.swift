import Bests
import Bytes
import People
import Timeline

/// The season of a club: volume in total, by week, group and athlete, each against the season before.
///
/// The value depends neither on the order of sessions nor on that of athletes. All machines count together, as in
/// `TrainingVolume`.
package struct SeasonOverview: Equatable, Sendable {
    /// An athlete counts as absent from this number of days after the last session on.
    package static let absenceDays: Int64 = 14

    /// A week of the season, and the week with the same number of the season before.
    package struct Week: Equatable, Sendable {
        /// A Monday. Days before 1 May and after 30 April are not counted.
        package let monday: CalendarDay
        /// nil for a week that has not begun.
        package fileprivate(set) var now: ClubVolume?
        package fileprivate(set) var before = ClubVolume()
    }

    package struct Athlete: Equatable, Sendable {
        package let athlete: ClubAthlete
        package fileprivate(set) var volume = VolumeComparison()
        /// The day of the last session up to today, in any season.
        package fileprivate(set) var lastDay: CalendarDay?
        /// The best ranked 2000 m on a RowErg in the season.
        package fileprivate(set) var best2000m: EventResult?
        /// Days since the last session; nil if there is none.
        package fileprivate(set) var daysSinceLast: Int64?
        /// Whether an active athlete has not rowed for `absenceDays`; false for a season that is over.
        package fileprivate(set) var isAbsent = false

        fileprivate init(_ athlete: ClubAthlete) { self.athlete = athlete }

        /// Whether the club expects the athlete to row. An athlete without a profile cannot be archived, and is
        /// active for a season after the last session.
        fileprivate func isActive(in period: SeasonPeriod) -> Bool {
            if let profile = athlete.profile { return !profile.isArchived }
            return lastDay.map { $0 >= period.previousDays.lowerBound } ?? false
        }
    }

    package struct Group: Equatable, Sendable {
        package let group: AthleteGroup
        package fileprivate(set) var volume = VolumeComparison()
        /// Active members, and those of them who are absent.
        package fileprivate(set) var active = 0
        package fileprivate(set) var absent = 0
    }

    package let period: SeasonPeriod
    package let total: VolumeComparison
    /// All weeks of the season, in order.
    package let weeks: [Week]
    /// In order of id; groups of all athletes, whatever group was requested.
    package let groups: [Group]
    /// Active athletes, and those with a session in the season or in the same days of the season before, by id.
    package let athletes: [Athlete]
    /// Active athletes, and those of them who are absent.
    package let active: Int
    package let absent: Int
    package let records: CategoryRecords
    /// Seasons with at least one session, newest first, of all athletes.
    package let seasons: [Season]
    /// The day of the first session of all; before it, nothing could be recorded.
    package let firstDay: CalendarDay?
    /// The requested group; nil for all athletes.
    package let group: AthleteGroup?

    /// - Parameters:
    ///   - sessions: of all athletes: all of `SeasonPeriod.countedDays`, and of other days all or those of
    ///     `ClubSession.selected`.
    ///   - athletes: all athletes with a profile or with sessions.
    ///   - group: counts only its members; nil for all athletes.
    package init(
        of sessions: [ClubSession], by athletes: [ClubAthlete], in groups: [AthleteGroup],
        only group: AthleteGroup?, _ period: SeasonPeriod
    ) {
        (self.period, self.group) = (period, group)
        // Positions, because copies of many sessions take most of the time.
        var positions: [String: [Int]] = [:]
        for index in sessions.indices {
            if let athlete = sessions[index].athlete { positions[athlete, default: []].append(index) }
        }
        let all = athletes.map { Athlete($0, sessions, at: positions[$0.id] ?? [], period) }
        let members = group.map { Set($0.members) }
        self.groups = groups.sorted { $0.id < $1.id }.map { Group($0, all, period) }
        let shown = all.filter { members?.contains($0.athlete.id) ?? true }
        var total = VolumeComparison()
        for athlete in shown { total.add(athlete.volume) }
        self.total = total
        weeks = Self.weeks(sessions, of: shown.map { positions[$0.athlete.id] ?? [] }, period)
        let active = shown.filter { $0.isActive(in: period) }
        (self.active, absent) = (active.count, active.count { $0.isAbsent })
        self.athletes = shown.filter { one in
            one.isActive(in: period) || one.volume.now.sessions > 0 || one.volume.before.sessions > 0
        }
        .sorted { $0.athlete.id < $1.athlete.id }
        records = CategoryRecords(
            sessions, of: shown.map { ($0.athlete.id, $0.athlete.profile, positions[$0.athlete.id] ?? []) },
            in: period.season)
        let assigned = sessions.indices.filter { sessions[$0].athlete != nil }
        seasons = Set(assigned.map { Season(of: sessions[$0].day) }).sorted(by: >)
        firstDay = assigned.map { sessions[$0].day }.min()
    }

    /// - Parameter athletes: the positions of the sessions of each athlete.
    private static func weeks(
        _ sessions: [ClubSession], of athletes: [[Int]], _ period: SeasonPeriod
    ) -> [Week] {
        let first = period.days.lowerBound
        let next = Season(year: period.season.year + 1).firstDay
        var weeks = stride(from: first.monday.number, to: next.number, by: 7).map { number in
            let monday = CalendarDay(number: number)
            return Week(monday: monday, now: monday <= period.days.upperBound ? ClubVolume() : nil)
        }
        func index(of day: CalendarDay, from first: CalendarDay) -> Int {
            Int(first.monday.distance(to: day) / 7)
        }
        let previous = period.previousDays.lowerBound
        for positions in athletes {
            var (now, before) = (weeks.map { _ in ClubVolume() }, weeks.map { _ in ClubVolume() })
            for position in positions {
                let (day, total) = (sessions[position].day, sessions[position].total)
                if period.days.contains(day) {
                    now[index(of: day, from: first)].add(total)
                } else if (previous...period.previousEnd).contains(day) {
                    let index = index(of: day, from: previous)
                    // One of the seasons may touch a week more.
                    if before.indices.contains(index) { before[index].add(total) }
                }
            }
            for index in weeks.indices {
                weeks[index].now?.add(now[index])
                weeks[index].before.add(before[index])
            }
        }
        return weeks
    }
}

extension SeasonOverview.Athlete {
    /// - Parameter positions: those of the athlete's sessions.
    fileprivate init(
        _ athlete: ClubAthlete, _ sessions: [ClubSession], at positions: [Int], _ period: SeasonPeriod
    ) {
        self.init(athlete)
        var best: (position: Int, score: ClubSession.Score)?
        for position in positions {
            let day = sessions[position].day
            volume.add(sessions[position].total, on: day, in: period)
            if day <= period.today { lastDay = max(lastDay ?? day, day) }
            guard period.days.contains(day), sessions[position].machine ?? .rower == .rower,
                sessions[position].ranked?.event == .metres(2000), let score = sessions[position].score
            else { continue }
            if best.map({ score.replaces($0.score) }) ?? true { best = (position, score) }
        }
        best2000m = best.flatMap { sessions[$0.position].result }
        daysSinceLast = lastDay.map { $0.distance(to: period.today) }
        isAbsent =
            period.isCurrent && isActive(in: period)
            && daysSinceLast.map { $0 >= SeasonOverview.absenceDays } ?? true
    }
}

extension SeasonOverview.Group {
    fileprivate init(
        _ group: AthleteGroup, _ athletes: [SeasonOverview.Athlete], _ period: SeasonPeriod
    ) {
        self.init(group: group)
        let members = Set(group.members)
        for athlete in athletes where members.contains(athlete.athlete.id) {
            volume.add(athlete.volume)
            if athlete.isActive(in: period) { active += 1 }
            if athlete.isAbsent { absent += 1 }
        }
    }
}

// MARK: Output

extension SeasonOverview {
    /// Writes the members into an open object.
    package func write(into json: inout JSONWriter) {
        json.field("season", period.season.year)
        json.field("group_id", group?.id)
        json.field("today", period.today.text)
        json.field("from", period.days.lowerBound.text)
        json.field("to", period.days.upperBound.text)
        json.field("previous_from", period.previousDays.lowerBound.text)
        json.field("previous_to", period.previousDays.upperBound.text)
        json.field("first_day", firstDay?.text)
        json.key("seasons")
        json.beginArray()
        for season in seasons { json.value(season.year) }
        json.endArray()
        json.object("total") { total.write(into: &$0) }
        json.field("active", active)
        if period.isCurrent { json.field("absent", absent) }
        json.field("absence_days", Self.absenceDays)
        json.list("weeks", of: weeks) { json, week in
            json.field("from", week.monday.text)
            week.now?.write(into: &json)
            json.object("previous") { week.before.write(into: &$0) }
        }
        json.list("groups", of: groups) { json, group in
            json.field("group_id", group.group.id)
            json.field("name", group.group.name)
            group.volume.write(into: &json)
            json.field("active", group.active)
            if period.isCurrent { json.field("absent", group.absent) }
        }
        json.list("athletes", of: athletes) { json, one in
            json.field("athlete_id", one.athlete.id)
            if one.athlete.profile?.isArchived == true { json.field("archived", true) }
            one.volume.write(into: &json, countsAthletes: false)
            json.field("last_day", one.lastDay?.text)
            json.field("days_since_last", one.daysSinceLast)
            if period.isCurrent { json.field("absent", one.isAbsent) }
            if let best = one.best2000m { json.object("best_2000m") { best.write(into: &$0) } }
        }
        records.write(into: &json)
    }

    /// The athletes as a table for a spreadsheet: the header, then one row of cells for each athlete.
    ///
    /// - Parameter names: the names of athletes for people.
    package func rows(names: AthleteNames) -> [[String]] {
        let groupNames = Dictionary(
            groups.map { ($0.group.id, $0.group.name) }, uniquingKeysWith: { first, _ in first })
        return [Self.columns]
            + athletes.map { one in
                let groups = one.athlete.groups.compactMap { groupNames[$0] }.joined(separator: "; ")
                let volumes = [one.volume.now, one.volume.before].flatMap { volume in
                    [
                        Self.decimal(volume.decimetres, places: 1),
                        Self.decimal(volume.centiseconds, places: 2), "\(volume.sessions)",
                    ]
                }
                return [one.athlete.id, RosterTable.safe(names[one.athlete.id]), RosterTable.safe(groups)]
                    + volumes
                    + [
                        one.lastDay?.text ?? "", one.daysSinceLast.map { "\($0)" } ?? "",
                        period.isCurrent ? "\(one.isAbsent)" : "",
                        one.best2000m.map { Self.decimal($0.centiseconds, places: 2) } ?? "",
                    ]
            }
    }

    private static let columns = [
        "athlete_id", "name", "groups", "distance_m", "time_s", "sessions", "previous_distance_m",
        "previous_time_s", "previous_sessions", "last_day", "days_since_last", "absent", "best_2000m_s",
    ]

    /// A number in units of 10 to the power of minus `places`, not negative.
    private static func decimal(_ value: Int64, places: Int) -> String {
        let digits = String(value)
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.utf8.count)) + digits
        return "\(padded.dropLast(places)).\(padded.suffix(places))"
    }
}
