import Foundation
import TestSupport
import Testing
import Timeline
import WebPages

@testable import Bests
@testable import Contract
@testable import Logbook
@testable import WebServer

/// HTTP responses use the club's time zone.
@Suite struct ClubZoneTests {
    private typealias Object = [String: Any]

    /// 2026-11-22 20:30 in New York, a Sunday. In UTC it is Monday.
    private static let sunday: Int64 = 1_795_397_400_000
    /// 2027-04-30 23:20 in New York.
    private static let april: Int64 = 1_809_141_600_000

    private let fixture: InterfaceFixture
    private var traffic = Traffic()

    init() throws { fixture = try InterfaceFixture(calendar: .of("America/New_York")) }

    private mutating func row(_ number: Int, at start: Int64, _ metres: Int = 500) throws {
        traffic.setClock(to: start)
        try fixture.save(
            traffic.piece(
                "01J7ZK3Q5XQ4W8G9T2V6B0C1\(number + 10)", at: start, metres, by: "anna",
                seconds: 100, of: Traffic.erg))
    }

    private func sessions(_ query: String) async throws -> [String] {
        let found = try await fixture.object("/sessions?\(query)")["sessions"] as? [Object] ?? []
        return found.map { String(($0["session_id"] as? String ?? "").suffix(2)) }
    }

    @Test mutating func datesAreDaysOfTheClub() async throws {
        try row(1, at: Self.sunday)
        try row(2, at: Self.sunday + 4 * 3_600_000)
        #expect(try await sessions("from=2026-11-22&to=2026-11-22") == ["11"])
        #expect(try await sessions("from=2026-11-23") == ["12"])
        #expect(try await sessions("to=2026-11-22") == ["11"])
        #expect(try await sessions("from=2026-11-22&to=2026-11-23") == ["12", "11"])
        guard
            case .content(_, let bytes, _) = await fixture.answer(
                "/sessions/export?format=concept2&from=2026-11-22&to=2026-11-22")
        else {
            Issue.record("no file")
            return
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n")
        #expect(lines.count == 2 && lines[1].contains(",2026-11-22 20:31:40,"), "\(lines)")
    }

    @Test mutating func listAndTableAgreeOnTheLastEveningOfTheSeason() async throws {
        try row(1, at: Self.april)
        func volumes(_ query: String) async throws -> [String?] {
            let found = try await fixture.object("/athletes/anna/volume?\(query)")
            return (found["volumes"] as? [Object] ?? []).map { $0["from"] as? String }
        }
        #expect(try await volumes("by=season") == ["2026-05-01"])
        #expect(try await volumes("by=day&season=2027") == ["2027-04-30"])
        #expect(try await volumes("by=day&season=2028") == [])
        #expect(try await fixture.object("/athletes/anna")["seasons"] as? [Int] == [2027])
        #expect(try await sessions("to=2027-04-30") == ["11"])
        #expect(try await sessions("from=2027-05-01") == [])
        guard
            case .content(_, let bytes, _) = await fixture.answer(
                "/sessions/export?format=concept2")
        else {
            Issue.record("no file")
            return
        }
        #expect(String(decoding: bytes, as: UTF8.self).contains(",2027-04-30 23:21:40,"))
    }

    @Test mutating func aSundayEveningCountsForItsWeek() async throws {
        try row(1, at: Self.sunday)
        let volume = try await fixture.object("/athletes/anna/volume?by=week")
        #expect((volume["volumes"] as? [Object])?.map { $0["from"] as? String } == ["2026-11-16"])
        let training = try await fixture.object("/athletes/anna/training?by=day")
        #expect((training["loads"] as? [Object])?.map { $0["from"] as? String } == ["2026-11-22"])
    }

    @Test mutating func eveningCountsForPlanOfItsDay() async throws {
        try row(1, at: Self.sunday)
        let body = #"""
            {"group":{"athletes":["anna"]},"format":"ics","text":"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n\#
            DTSTART:20261123T003000Z\r\nSUMMARY:500m\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\n\#
            DTSTART;TZID=Europe/Berlin:20261123T180000\r\nSUMMARY:30:00\r\nEND:VEVENT\r\n\#
            END:VCALENDAR\r\n"}
            """#
        guard case .content = await fixture.answer("/plans/winter/set", .post, body: body) else {
            Issue.record("not set")
            return
        }
        let response = try await fixture.object("/plans/winter/adherence?athlete_id=anna")
        let days = (response["athletes"] as? [Object])?.first?["days"] as? [Object] ?? []
        #expect(days.map { $0["day"] as? String } == ["2026-11-22", "2026-11-23"])
        let first = days.first?["workouts"] as? [Object]
        #expect(first?.map { $0["verdict"] as? String } == ["done"])
        #expect(days.allSatisfy { ($0["extra"] as? [Object])?.isEmpty == true })
        let today = try ClubCalendar.of("America/New_York")
            .day(of: Int64(Date().timeIntervalSince1970 * 1000)).text
        #expect(response["today"] as? String == today)
        #expect(try await fixture.object("/athletes/anna/plans")["today"] as? String == today)
    }

    @Test func pagesNameTheZone() throws {
        let pages = Pages(of: PageClub(timeZone: "America/New_York"))
        let request = WebRequest(path: "/athlete")
        let page = try #require(pages["athletes/athlete.html", request])
        #expect(
            String(decoding: page.bytes, as: UTF8.self).contains(
                "<html lang=\"en\" data-zone=\"America/New_York\" data-club=\"\">"))
        // The entity tag changes with the time zone, so that browsers reload the page.
        #expect(
            page.entityTag
                != Pages(of: PageClub(timeZone: "Europe/Berlin"))["athletes/athlete.html", request]?
                .entityTag)
    }
}
