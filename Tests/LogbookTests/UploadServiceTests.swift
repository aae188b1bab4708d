import Foundation
import HTTPClient
import HostRuntime
import LogbookStores
import TestSupport
import Testing

@testable import Contract
@testable import Logbook
@testable import Uploads
@testable import WebServer

/// Sessions of an athlete are uploaded to services that behave as documented, with their faults.
@Suite(.timeLimit(.minutes(30)), .enabled(if: InstalledPrograms.areAllowed && PythonPackage.hasTrainingFiles))
struct UploadServiceTests {
    private let services: UploadServicesProcess
    private let fixture: InterfaceFixture
    private let clock = AdvancedClock()
    private let uploads: UploadService
    private var traffic = Traffic()
    /// Unix milliseconds: the sessions end after it.
    private let begin: Int64
    private var ahead = 0
    private var workers: [UploadDestination: UploadWorker] = [:]

    init() async throws {
        services = try await UploadServicesProcess()
        fixture = try InterfaceFixture(clock: clock, uploads: services.prepared())
        uploads = try #require(fixture.uploads)
        begin = clock.unixMilliseconds()
    }

    private static func name(_ number: Int) -> SessionName {
        SessionName(gateway: GatewayID("boathouse")!, session: "01J7ZK3Q5XQ4W8G9T2V6B0C1\(10 + number)")
    }

    private static let root = "/me/uploads"
    private static func path(_ number: Int) -> String {
        "/sessions/boathouse/\(name(number).session)/uploads"
    }

    /// Stores verified pieces of the athlete: one that ended before the test for 0, the others end during it.
    private mutating func row(_ numbers: Int...) throws {
        let now = clock.unixMilliseconds()
        for number in numbers {
            try fixture.save(
                traffic.piece(
                    Self.name(number).session, at: begin + Int64(number == 0 ? -60 : number) * 60_000, 500,
                    by: InterfaceFixture.athlete, seconds: 100, of: Traffic.erg))
        }
        var batch = StoreBatch(now: now)
        for number in numbers { batch.states[Self.name(number)] = .verified }
        _ = try fixture.store.commit(batch)
        uploads.sessionsChanged(Set(numbers.map(Self.name)))
    }

    /// Advances the clocks of the logbook and of a webhook's receiver.
    private mutating func advance(by seconds: Int) async throws {
        clock.advance(by: seconds)
        ahead += seconds
        try await services.control("clock", ["ahead_s": ahead])
    }

    /// Uploads until there is nothing to do now. Waits between two requests for a state take no time.
    private mutating func run(_ destination: UploadDestination) async {
        await fixture.waitForWrites()
        // Two readings of the time may differ by a millisecond in either direction.
        clock.advance(by: 1)
        let worker = workers[destination] ?? uploads.worker(to: destination) { _ in }
        workers[destination] = worker
        while await worker.step() {}
    }

    private func connect(_ destination: UploadDestination) async throws {
        let path = "\(Self.root)/\(destination.rawValue)"
        switch destination {
        case .intervalsICU: _ = try await post(path, #"{"key":"icu-key"}"#)
        case .webhook:
            let answer = try await post(path, #"{"address":"\#(services.address(of: .webhook))"}"#)
            try await services.control("webhook", ["secret": answer["secret"] ?? ""])
        case .concept2, .strava:
            let begun = try await post(path, "{}")
            let query = try await services.authorize(at: try #require(begun["address"] as? String))
            _ = try await post(
                Self.root, #"{"state":"\#(query["state"] ?? "")","code":"\#(query["code"] ?? "")"}"#)
        }
    }

    @discardableResult private func post(_ path: String, _ body: String) async throws -> [String: Any] {
        let answer = await fixture.answer(path, as: .athlete, .post, body: body)
        guard case .content("application/json", let bytes, _) = answer else {
            throw TestSupportError("\(path): \(answer)")
        }
        return try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] ?? [:]
    }

    private func upload(_ number: Int, _ destination: UploadDestination) async throws -> [String: Any] {
        let found = try await fixture.object(Self.path(number), as: .athlete)["uploads"] as? [[String: Any]]
        return found?.first { $0["destination"] as? String == destination.rawValue } ?? [:]
    }

    private func state(_ number: Int, _ destination: UploadDestination) async throws -> String? {
        try await upload(number, destination)["state"] as? String
    }

    // MARK: Each service

    @Test(arguments: UploadDestination.allCases)
    mutating func uploadsASessionOnce(_ destination: UploadDestination) async throws {
        try row(0)
        try await connect(destination)
        try row(1)
        await run(destination)
        #expect(try await state(0, destination) == nil, "it ended before the athlete agreed")
        let upload = try await upload(1, destination)
        #expect(upload["state"] as? String == "uploaded" && upload["reason"] == nil, "\(upload)")
        #expect(try await services.stored(destination) == 1)
        // All recent sessions are checked again, after a start and at intervals.
        try await advance(by: 3600)
        uploads.tick()
        await run(destination)
        #expect(try await services.stored(destination) == 1)
        // The athlete uploads the earlier one by hand; the later one is there.
        try await post(Self.path(0), #"{"destination":"\#(destination.rawValue)"}"#)
        await run(destination)
        #expect(try await state(0, destination) == "uploaded")
        let again = await fixture.refusal(
            Self.path(1), as: .athlete, .post, body: #"{"destination":"\#(destination.rawValue)"}"#)
        #expect(again?.status == "409 uploaded")
    }

    /// The service has stored the session, and the answer is lost: the next attempt finds it there.
    @Test(arguments: UploadDestination.allCases)
    mutating func recognizesASessionWhoseAnswerWasLost(_ destination: UploadDestination) async throws {
        try await connect(destination)
        try await services.control(
            "next",
            [
                "path_prefix": destination.uploadPath, "method": "POST", "count": 1, "before": false,
                "close": true,
            ])
        try row(1)
        await run(destination)
        let upload = try await upload(1, destination)
        #expect(upload["state"] as? String == "pending")
        #expect((upload["reason"] as? String)?.contains("127.0.0.1") == true, "\(upload)")
        try await advance(by: 70)
        await run(destination)
        #expect(try await state(1, destination) == "uploaded")
        #expect(try await services.stored(destination) == 1, "once")
    }

    /// The service needs longer than the logbook waits, and stores the session.
    @Test mutating func recognizesASessionWhoseAnswerWasLate() async throws {
        try await connect(.intervalsICU)
        try await services.control(
            "next",
            ["path_prefix": "/intervals", "method": "POST", "count": 1, "before": false, "delay_s": 600])
        try row(1)
        await fixture.waitForWrites()
        var settings = services.prepared().client
        settings.totalTimeout = .seconds(1)
        let client = HTTPClient(settings, on: SerialQueueExecutor(label: "impatient"))
        let worker = uploads.worker(
            to: .intervalsICU,
            transport: { request throws(HTTPFailure) in try await client.perform(request) }, sleep: { _ in })
        clock.advance(by: 1)
        while await worker.step() {}
        let reason = try await upload(1, .intervalsICU)["reason"] as? String
        #expect(reason?.contains("no complete answer within 1 s") == true, "\(reason ?? "")")
        let isStored = try await eventually { [services] in try await services.stored(.intervalsICU) == 1 }
        #expect(isStored)
        try await advance(by: 70)
        await run(.intervalsICU)
        #expect(try await state(1, .intervalsICU) == "uploaded")
        #expect(try await services.stored(.intervalsICU) == 1)
    }

    @Test(arguments: UploadDestination.allCases)
    mutating func repeatsAfterTemporaryFailures(_ destination: UploadDestination) async throws {
        try await connect(destination)
        let failure: [String: Any] = ["path_prefix": destination.uploadPath, "method": "POST"]
        try await services.control("next", failure.merging(["count": 1, "status": 503]) { $1 })
        try row(1)
        await run(destination)
        #expect(try await state(1, destination) == "pending")
        await run(destination)
        #expect(try await services.requests(below: destination.uploadPath) == ["POST 503"], "not at once")
        // The service asks for ten minutes, also for other sessions.
        try await services.control(
            "next", failure.merging(["count": 1, "status": 429, "headers": ["Retry-After": "600"]]) { $1 })
        try await advance(by: 70)
        await run(destination)
        try row(2)
        try await advance(by: 500)
        await run(destination)
        #expect(try await services.requests(below: destination.uploadPath).count == 2)
        try await advance(by: 200)
        await run(destination)
        for number in [1, 2] { #expect(try await state(number, destination) == "uploaded") }
    }

    @Test mutating func givesUpAfterAWeekUntilTheAthleteRepeatsIt() async throws {
        try await connect(.concept2)
        try await services.control(
            "next",
            [
                "path_prefix": UploadDestination.concept2.uploadPath, "method": "POST", "count": 18,
                "status": 500,
            ])
        try row(1)
        for _ in 0..<20 {
            await run(.concept2)
            try await advance(by: 50_000)
        }
        let upload = try await upload(1, .concept2)
        #expect(upload["state"] as? String == "refused", "\(upload)")
        #expect(upload["reason"] as? String == "the service answered with status 500")
        try await post(Self.path(1), #"{"destination":"concept2"}"#)
        await run(.concept2)
        #expect(try await state(1, .concept2) == "uploaded")
    }

    // MARK: Access

    @Test(arguments: [UploadDestination.concept2, .strava])
    mutating func refreshesTokens(_ destination: UploadDestination) async throws {
        try await connect(destination)
        let former = try fixture.store.uploadAccounts.all().first?.secret
        try await services.control("expire", ["service": destination.rawValue])
        try row(1)
        await run(destination)
        let upload = try await upload(1, destination)
        #expect(upload["state"] as? String == "uploaded", "\(upload)")
        #expect(try fixture.store.uploadAccounts.all().first?.secret != former)
        // The next one uses the new tokens, and after their time others.
        try await advance(by: 8 * 86_400)
        try row(2)
        await run(destination)
        #expect(try await state(2, destination) == "uploaded")
    }

    @Test(arguments: [UploadDestination.concept2, .strava])
    mutating func waitsForANewConnectionAfterAccessWasRevoked(_ destination: UploadDestination) async throws {
        try await connect(destination)
        try await services.control("revoke", ["service": destination.rawValue])
        try row(1)
        await run(destination)
        let upload = try await upload(1, destination)
        #expect(upload["state"] as? String == "pending" && upload["problem"] != nil, "\(upload)")
        let count = try await services.requests(below: "/\(destination.rawValue)").count
        try await advance(by: 100_000)
        await run(destination)
        #expect(
            try await services.requests(below: "/\(destination.rawValue)").count == count, "no more requests")
        try await connect(destination)
        await run(destination)
        #expect(try await state(1, destination) == "uploaded")
        #expect(try await self.upload(1, destination)["problem"] == nil)
    }

    @Test mutating func storesOnlyAccessThatTheServiceAccepts() async throws {
        let path = "\(Self.root)/intervals_icu"
        let wrong = await fixture.refusal(path, as: .athlete, .post, body: #"{"key":"wrong"}"#)
        #expect(wrong?.status == "422 access_refused")
        let begun = try await post("\(Self.root)/strava", "{}")
        let query = try await services.authorize(at: try #require(begun["address"] as? String))
        let body = { (state: String, code: String) in #"{"state":"\#(state)","code":"\#(code)"}"# }
        let (state, code) = (query["state"] ?? "", query["code"] ?? "")
        #expect(
            await fixture.refusal(Self.root, as: .athlete, .post, body: body("other", code))?.status
                == "409 authorization_ended")
        #expect(
            await fixture.refusal(Self.root, as: .athlete, .post, body: body(state, "other"))?.status
                == "422 access_refused")
        #expect(
            await fixture.refusal(Self.root, as: .athlete, .post, body: body(state, code))?.status
                == "409 authorization_ended", "a state is valid once")
        let late = try await post("\(Self.root)/strava", "{}")
        let other = try await services.authorize(at: try #require(late["address"] as? String))
        try await advance(by: 1000)
        #expect(
            await fixture.refusal(
                Self.root, as: .athlete, .post, body: body(other["state"] ?? "", other["code"] ?? ""))?.status
                == "409 authorization_ended")
        #expect(try fixture.store.uploadAccounts.all() == [])
    }

    @Test mutating func showsNoSecrets() async throws {
        for destination in UploadDestination.allCases { try await connect(destination) }
        let accounts = try await fixture.object(Self.root, as: .athlete)
        let text = "\(accounts)"
        let listed = accounts["destinations"] as? [[String: Any]] ?? []
        #expect(
            listed.compactMap { ($0["account"] as? [String: Any])?["label"] as? String }.count == 4, "\(text)"
        )
        #expect(!text.contains("icu-key") && !text.contains("whsec_"))
        let vault = services.prepared().vault
        var secrets = ["icu-key"]
        for account in try fixture.store.uploadAccounts.all() {
            let destination = try #require(UploadDestination(rawValue: account.destination))
            if case .tokens(let tokens) = vault.decrypted(
                account.secret, of: account.athlete, at: destination)
            {
                secrets += [tokens.access, try #require(tokens.refresh)]
            }
        }
        try #require(secrets.count == 5)
        for path in [fixture.store.place, fixture.store.place + "-wal"] {
            let file = try Data(contentsOf: URL(fileURLWithPath: path))
            for secret in secrets {
                #expect(!text.contains(secret) && file.range(of: Data(secret.utf8)) == nil)
            }
        }
    }

    // MARK: Leaving

    @Test mutating func disconnectingEndsPendingUploads() async throws {
        try await connect(.concept2)
        try row(1)
        await fixture.waitForWrites()
        #expect(try fixture.store.uploads.all().count == 1)
        let answer = await fixture.answer("\(Self.root)/concept2", as: .athlete, .delete)
        guard case .json = answer else { throw TestSupportError("\(answer)") }
        #expect(try fixture.store.uploads.all() == [] && fixture.store.uploadAccounts.all() == [])
        await run(.concept2)
        #expect(try await services.requests(below: UploadDestination.concept2.uploadPath) == [])
        let refusal = await fixture.refusal(
            Self.path(1), as: .athlete, .post, body: #"{"destination":"concept2"}"#)
        #expect(refusal?.status == "409 not_connected")
    }

    /// An athlete disconnects, or is erased, while the service works.
    @Test mutating func anAnswerAfterTheEndIsForgotten() async throws {
        try await connect(.intervalsICU)
        try row(1)
        await fixture.waitForWrites()
        let (writer, path) = (fixture.writer, "intervals_icu")
        let worker = uploads.worker(
            to: .intervalsICU,
            transport: { _ throws(HTTPFailure) in
                _ = try? await writer.result { store in
                    _ = try store.uploadAccounts.remove(of: InterfaceFixture.athlete, at: path)
                    try store.uploads.removeUnfinished(of: InterfaceFixture.athlete, to: path)
                }
                return HTTPAnswer(status: 201, body: Array(#"{"id":"i1"}"#.utf8))
            }, sleep: { _ in })
        #expect(await worker.step())
        #expect(try fixture.store.uploads.all() == [])
    }

    @Test mutating func aSessionOfAnotherAthleteIsNotUploaded() async throws {
        try await connect(.intervalsICU)
        try row(1)
        await fixture.waitForWrites()
        _ = try fixture.store.correct(Self.name(1), to: .corrected("ben"), at: 5, by: "coach")
        await run(.intervalsICU)
        #expect(try fixture.store.uploads.all() == [])
        #expect(try await services.requests(below: UploadDestination.intervalsICU.uploadPath) == [])
    }

    @Test mutating func onlyAthletesUseUploads() async throws {
        for role in [Role.coach, .captain] {
            #expect(await fixture.refusal(Self.root, as: role)?.status == "409 not_an_athlete")
        }
        // A session that does not exist is not told apart by who asks.
        for role in [Role.coach, .athlete] {
            #expect(await fixture.refusal(Self.path(7), as: role)?.status == "404 unknown_session")
        }
        #expect(await fixture.refusal(Self.root, as: .wall)?.status.hasPrefix("403") == true)
        #expect(
            await fixture.refusal("\(Self.root)/myspace", as: .athlete, .post, body: "{}")?.status
                == "404 unknown_destination")
        for body in [
            #"{"address":"ftp://example.org"}"#, #"{"address":"https://a@b/"}"#, #"{"address":""}"#, "{}",
        ] {
            let refusal = await fixture.refusal("\(Self.root)/webhook", as: .athlete, .post, body: body)
            #expect(refusal?.status.hasPrefix("400") == true, "\(body)")
        }
    }
}

extension UploadDestination {
    fileprivate var uploadPath: String {
        switch self {
        case .concept2: "/concept2/api/users/me/results"
        case .intervalsICU: "/intervals/api/v1/athlete/0/activities"
        case .strava: "/strava/api/v3/uploads"
        case .webhook: "/webhook"
        }
    }
}
