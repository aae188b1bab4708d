import Bests
import Contract
import People
import Timeline

@testable import Club

/// Sessions and athletes of a club for tests.
enum ClubFixture {
    /// A session that began at noon of a day, in the club's time zone. Number and athlete make its id.
    static func session(
        _ athlete: String, _ day: String, metres: Int64 = 1000, seconds: Int64 = 240,
        ranked event: RankedEvent? = nil, isVerified: Bool = true, hour: Int64 = 12,
        on machine: MachineKind = .rower, in calendar: ClubCalendar = .utc
    ) -> ClubSession {
        let start = calendar.start(of: CalendarDay(day)!) + hour * 3_600_000
        let name = PieceName(gateway: GatewayID("boathouse")!, session: "\(athlete)-\(day)-\(hour)")
        var piece = RecordedPiece(name: name, startedAt: start)
        piece.total = WorkPoint(centiseconds: seconds * 100, decimetres: metres * 10)
        piece.preset = event
        (piece.isComplete, piece.isVerified, piece.agreesWithMonitor) = (true, isVerified, true)
        let metrics = PieceMetrics(piece, in: calendar)
        return ClubSession(
            at: ClubSession.Erg(gateway: name.gateway, station: StationID("erg-1")!), by: athlete,
            on: metrics.startedOn, total: metrics.total, machine: machine,
            ranked: metrics.rankedEvent.map {
                ClubSession.Ranked(event: $0, session: name.session, startedAt: metrics.startedAt)
            })
    }

    /// The positions of the sessions of each athlete.
    static func athletes(
        _ sessions: [ClubSession], _ profiles: [String: AthleteProfile] = [:]
    ) -> [(id: String, profile: AthleteProfile?, positions: [Int])] {
        Set(sessions.compactMap(\.athlete)).sorted().map { id in
            (id, profiles[id], sessions.indices.filter { sessions[$0].athlete == id })
        }
    }

    static func athlete(
        _ id: String, gender: AthleteProfile.Gender? = nil, born: Int? = nil,
        _ weight: AthleteProfile.WeightClass? = nil, isArchived: Bool = false, groups: [String] = []
    ) throws -> ClubAthlete {
        var profile = try AthleteProfile(id: id, name: id.capitalized)
        (profile.gender, profile.birthYear, profile.weightClass) = (gender, born, weight)
        profile.isArchived = isArchived
        return ClubAthlete(id: id, profile: profile, groups: groups)
    }

    static func period(_ today: String, season: Int64? = nil) -> SeasonPeriod {
        SeasonPeriod(season.map { Season(year: $0) }, today: CalendarDay(today)!)
    }
}
