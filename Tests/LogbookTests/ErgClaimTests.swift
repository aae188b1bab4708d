import Bytes
import Foundation
import LogbookStores
import Synchronization
import TestSupport
import Testing

@testable import Contract
@testable import Logbook
@testable import MQTTClient
@testable import WebServer

/// Athletes who assign themselves to an erg.
@Suite struct ErgClaimTests {
    private final class Sent: Sendable {
        let messages = Mutex<[CommandService.Message]>([])
    }

    private let fixture: InterfaceFixture
    private let sent = Sent()
    private static let claim = "/ergs/boathouse/erg-1/claim"

    init() throws {
        fixture = try InterfaceFixture()
        fixture.commands.start { [sent] messages in sent.messages.withLock { $0 += messages } }
        fixture.room.subscribed()
        for erg in ["erg-1", "erg-2"] { fixture.receiveState(of: erg, athlete: nil) }
    }

    /// The topics and payloads of what was sent, without the request id.
    private var commands: [String] {
        sent.messages.withLock { messages in
            messages.map { message in
                let payload = String(decoding: message.payload, as: UTF8.self)
                    .replacing(/"request_id":"[0-9A-Z]+",? ?/, with: "")
                return "\(message.topic.split(separator: "/")[4]) \(payload)"
            }
        }
    }

    private func status(
        _ method: WebMethod = .post, _ body: String = "{}", as role: Role = .athlete, at path: String = claim
    ) async -> String {
        switch await fixture.answer(path, as: role, method, body: body) {
        case .json(let status, _, _): "\(status)"
        case .failure(let status, let code, _, _): "\(status) \(code)"
        default: "?"
        }
    }

    @Test func athleteClaimsAndLeaves() async {
        #expect(await status(.delete, "") == "409 not_assigned")
        #expect(await status() == "202")
        #expect(commands == [#"erg-1 {"athlete_id":"zoe","until":"session_end"}"#])
        fixture.receiveState(of: "erg-1", athlete: "zoe")
        #expect(await status(.delete, "") == "202")
        #expect(commands.last == "erg-1 {}")
    }

    @Test func newerClaimClearsTheOlderErg() async {
        fixture.receiveState(of: "erg-2", athlete: "zoe")
        guard case .json(202, let body, _) = await fixture.answer(Self.claim, as: .athlete, .post, body: "{}")
        else {
            Issue.record("the claim is refused")
            return
        }
        #expect(commands == ["erg-2 {}", #"erg-1 {"athlete_id":"zoe","until":"session_end"}"#])
        // The page says which erg is free now.
        let cleared = (try? JSONObject(parsing: body))?["cleared"]
        #expect("\(cleared.map { "\($0)" } ?? "")".contains("erg-2"))
    }

    @Test func otherAthleteIsReplacedOnlyOnRequest() async {
        fixture.receiveState(of: "erg-1", athlete: "anna")
        #expect(await status() == "409 occupied")
        #expect(await status(.delete, "") == "409 not_assigned")
        #expect(commands.isEmpty)
        #expect(await status(.post, #"{"replace":true}"#) == "202")
        #expect(commands == [#"erg-1 {"athlete_id":"zoe","until":"session_end"}"#])
    }

    /// A gateway may still have the id that was merged into the athlete's.
    @Test func mergedIDIsTheSameAthlete() async throws {
        let store = fixture.store
        try store.atomically {
            try store.merges.add(
                StoredMerge(athlete: "zoe-2", kept: "zoe", mergedAt: 1, by: nil, saved: nil))
        }
        try fixture.directory.read(from: store)
        fixture.receiveState(of: "erg-1", athlete: "zoe-2")
        fixture.receiveState(of: "erg-2", athlete: "zoe-2")
        #expect(await status() == "202")
        #expect(commands == ["erg-2 {}", #"erg-1 {"athlete_id":"zoe","until":"session_end"}"#])
        #expect(await status(.delete, "") == "202")
    }

    @Test func refusesInvalidClaims() async {
        #expect(await status(.post, #"{"athlete_id":"anna"}"#) == "400 unknown_field")
        #expect(await status(.post, "[]") == "400 not_json")
        #expect(await status(as: .coach) == "409 no_athlete")
        #expect(await status(as: .wall) == "403 not_allowed")
        #expect(await status(at: "/ergs/boathouse/erg-9/claim") == "404 unknown_erg")
        #expect(await status(at: "/ergs/Boathouse/erg-1/claim") == "404 unknown_erg")
        #expect(commands.isEmpty)
    }

    @Test func cardLeadsToThePageOfTheErg() async {
        guard case .redirect(let place) = await fixture.answer(path: "/e/boathouse/erg-1", as: nil) else {
            Issue.record("no redirect")
            return
        }
        #expect(place == "/erg?gw=boathouse&erg=erg-1")
        guard case .redirect(let hostile) = await fixture.answer(path: "/e/a b/\"><x>", as: nil) else {
            Issue.record("no redirect")
            return
        }
        #expect(hostile == "/erg?gw=a%20b&erg=%22%3E%3Cx%3E")
    }
}
