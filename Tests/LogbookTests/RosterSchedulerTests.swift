import Bytes
import Contract
import People
import TestSupport
import Testing
import Timeline

@testable import Logbook

@Suite struct RosterSchedulerTests {
    private static let boathouse = GatewayID("boathouse")!
    private static let club = LogbookID("club")!
    private var scheduler = RosterScheduler(of: Self.club)
    private var ids = 0

    private func profiles(_ count: Int) throws -> [AthleteProfile] {
        try (0..<count).map { number in
            var profile = try AthleteProfile(id: "a-\(number)", name: "Athlete \(number)")
            profile.power2k = 200 + number % 100
            return profile
        }
    }

    private mutating func step(
        _ profiles: [AthleteProfile], _ report: RosterReport, at second: Int
    ) -> [JSONObject] {
        scheduler.step(
            profiles, [Self.boathouse: report],
            at: BootInstant(nanoseconds: 0).advanced(by: .seconds(second))
        ) {
            ids += 1
            return "roster-\(ids)"
        }.compactMap { command in
            #expect(command.topic == "rowgate/v1/boathouse/cmd/roster")
            #expect(command.payload.count <= 16 * 1024)
            return try? JSONObject(parsing: command.payload)
        }
    }

    private func report(_ revision: String? = nil, names: Bool = false) -> RosterReport {
        RosterReport(source: .logbook, publishesNames: names, revision: revision, logbook: Self.club)
    }

    @Test(arguments: [true, false])
    mutating func sendsPowersOver6000MetersOnlyToGatewaysThatAcceptThem(isAccepted: Bool) throws {
        var people = try profiles(1)
        people[0].power6k = 190
        // A gateway of an earlier version does not have the field.
        let known = isAccepted ? #","power_6k":true"# : ""
        let json = #"{"source":"logbook","publish_names":false\#(known)}"#
        let fields = try #require(try JSONObject(parsing: Array(json.utf8)))
        let report = try #require(RosterReport(parsing: fields))
        let sent = step(people, report, at: 0)
        guard case .list(let athletes)? = sent.first?["athletes"], case .object(let athlete)? = athletes.first
        else {
            Issue.record("no athlete")
            return
        }
        #expect(athlete["power_6k_w"] == (isAccepted ? .number("190") : nil))
        #expect(athlete["power_2k_w"] == .number("200"))
    }

    @Test mutating func sendsUntilTheGatewayHasIt() throws {
        let athletes = try profiles(3)
        let sent = step(athletes, report(), at: 0)
        let revision = try #require(sent.first?.text("revision"))
        #expect(sent.count == 1)
        #expect(step(athletes, report(), at: 5).isEmpty)
        // Unanswered: again after 30 s, then less often.
        #expect(step(athletes, report(), at: 31).count == 1)
        #expect(step(athletes, report(), at: 50).isEmpty)
        #expect(step(athletes, report(revision), at: 55).isEmpty)
        // A change is sent at once.
        let changed = step(try profiles(4), report(revision), at: 56)
        #expect(changed.first?.text("revision") != revision && changed.count == 1)
        // A gateway that lost its card starts without a roster.
        #expect(step(athletes, report(revision), at: 100).isEmpty)
        #expect(step(athletes, report(), at: 105).count == 1)
    }

    @Test mutating func namesAreOnlyForGatewaysThatPublishThem() throws {
        let athletes = try profiles(1)
        func text(_ object: JSONObject?) -> String { object.map { "\($0)" } ?? "" }
        let without = step(athletes, report(), at: 0).first
        #expect(text(without).contains("a-0") && !text(without).contains("Athlete 0"))
        let with = step(athletes, report(without?.text("revision"), names: true), at: 40).first
        #expect(text(with).contains("Athlete 0"))
        #expect(with?.text("revision") != without?.text("revision"))
    }

    @Test mutating func archivedAthletesAreLeftOutAndAnEmptyLogbookSendsNothing() throws {
        #expect(step([], report("other"), at: 0).isEmpty)
        var athletes = try profiles(2)
        athletes[0].isArchived = true
        let sent = step(athletes, report(), at: 5).first
        guard case .list(let list)? = sent?["athletes"] else {
            Issue.record("no athletes")
            return
        }
        #expect(list.count == 1)
    }

    /// 2000 athletes with long names, as the gateway assembles them.
    @Test mutating func aLargeClubGetsParts() throws {
        let athletes = try (0..<2000).map { number in
            try AthleteProfile(
                id: "a-\(number)", name: String(repeating: "漢", count: 56) + "\(number)")
        }
        let sent = step(athletes, report(names: true), at: 0)
        #expect(sent.count > 20)
        var received: [String] = []
        for object in sent {
            var fields = CommandFields(object)
            _ = try fields.requestID()
            let part = try RosterPart(&fields)
            try fields.finish()
            #expect(part.parts == sent.count)
            received += part.athletes.map(\.id)
        }
        #expect(received == athletes.map(\.id).sorted())
    }

    @Test mutating func aRefusalIsReportedOnce() throws {
        let athletes = try profiles(1)
        let id = try #require(step(athletes, report(), at: 0).first?.text("request_id"))
        let reply = try #require(
            try JSONObject(
                parsing: Array(#"{"request_id":"\#(id)","status":"error","message":"no"}"#.utf8)))
        #expect(scheduler.handle(reply: reply, from: GatewayID("other")!) == nil)
        #expect(scheduler.handle(reply: reply, from: Self.boathouse) == "no")
        #expect(scheduler.handle(reply: reply, from: Self.boathouse) == nil)
    }
}
