import Contract
import TestSupport
import Testing

@testable import Gateway
@testable import Timeline

@Suite struct CommandValidatorTests {
    private static let room = ["erg-1", "erg-2", "erg-3"].compactMap { StationID($0) }
    private static let start = BootInstant(nanoseconds: 5_000_000_000_000)

    private func request(
        _ verb: String, _ payload: String, to target: CommandTarget = .gateway,
        origin: CommandRequest.Origin = .mqtt
    ) -> CommandRequest {
        CommandRequest(
            origin: origin, target: target, verb: verb, payload: Array(payload.utf8),
            receivedAt: Self.start)
    }

    private func replies(_ decisions: [CommandValidator.Decision]) -> [CommandReply] {
        decisions.compactMap { if case .reply(let reply) = $0 { reply } else { nil } }
    }

    private func tasks(_ decisions: [CommandValidator.Decision]) -> [CommandTask] {
        decisions.compactMap { if case .perform(let task) = $0 { task } else { nil } }
    }

    struct Refusal: Sendable {
        var verb: String
        var payload: String
        var isForErg = true
        var code: CommandCode
        /// Part of the message.
        var text: String
    }

    static let refusals: [Refusal] = [
        Refusal(
            verb: "ping", payload: "", isForErg: false, code: .notJSON, text: "value at column 1"),
        Refusal(verb: "ping", payload: "[1]", isForErg: false, code: .notJSON, text: "object"),
        Refusal(
            verb: "ping", payload: String(repeating: "[", count: 9000), isForErg: false,
            code: .notJSON, text: "nested too deeply"),
        Refusal(
            verb: "ping", payload: "{}", isForErg: false, code: .missingField, text: "request_id"),
        Refusal(
            verb: "ping", payload: #"{"request_id":7}"#, isForErg: false, code: .badValue,
            text: "request_id must be a text"),
        Refusal(
            verb: "ping", payload: #"{"request_id":""}"#, isForErg: false, code: .badValue,
            text: "1 to 64"),
        Refusal(
            verb: "ping", payload: #"{"request_id":"a","x":1}"#, isForErg: false,
            code: .unknownField, text: "unknown field x"),
        Refusal(
            verb: "crew", payload: #"{"request_id":"a"}"#, isForErg: false, code: .missingField,
            text: "crew is missing"),
        Refusal(
            verb: "crew", payload: #"{"request_id":"a","crew":"a/#"}"#, isForErg: false,
            code: .badValue, text: "1 to 32 of a-z, 0-9 and -"),
        Refusal(
            verb: "crew", payload: #"{"request_id":"a","crew":"a","members":[]}"#,
            isForErg: false, code: .badValue, text: "1 to 8 ergs"),
        Refusal(
            verb: "crew", payload: #"{"request_id":"a","crew":"a","members":["e","e"]}"#,
            isForErg: false, code: .badValue, text: "each once"),
        Refusal(
            verb: "crew", payload: #"{"request_id":"a","crew":"a","members":[1]}"#,
            isForErg: false, code: .badValue, text: "slugs of ergs"),
        Refusal(
            verb: "rate", payload: #"{"request_id":"a","Ms":500}"#, code: .missingField,
            text: "ms is missing"),
        Refusal(
            verb: "release", payload: #"{"request_id":"a","for_sec":5}"#, code: .unknownField,
            text: "did you mean for_s?"),
        Refusal(
            verb: "release", payload: #"{"request_id":"a","for_s":1,"for_s":2}"#, code: .badValue,
            text: "for_s occurs twice"),
        Refusal(
            verb: "release", payload: #"{"request_id":"a","for_s":1.5}"#, code: .badValue,
            text: "whole number"),
        Refusal(
            verb: "release", payload: #"{"request_id":"a","for_s":-1}"#, code: .badValue,
            text: "0 to 86400"),
        Refusal(
            verb: "rate", payload: #"{"request_id":"a","ms":333}"#, code: .badValue,
            text: "1000, 500, 250 or 100"),
        Refusal(
            verb: "assign", payload: #"{"request_id":"a","athlete_id":"Anna B"}"#, code: .badValue,
            text: "1 to 64 visible ASCII characters"),
        Refusal(
            verb: "assign", payload: #"{"request_id":"a","athlete_id":"z-9"}"#,
            code: .unknownAthlete, text: "roster"),
        Refusal(
            verb: "assign", payload: #"{"request_id":"a","until":"noon"}"#, code: .badValue,
            text: "session_end"),
        Refusal(
            verb: "ack", payload: #"{"request_id":"a"}"#, isForErg: false, code: .missingField,
            text: "alert_id is missing"),
        Refusal(
            verb: "ack", payload: #"{"request_id":"a","alert_id":"x","by":"Anna B"}"#,
            isForErg: false, code: .badValue, text: "by must be 1 to 64 visible"),
        Refusal(
            verb: "ack", payload: #"{"request_id":"a","id":"x"}"#, isForErg: false,
            code: .missingField, text: "alert_id"),
        Refusal(
            verb: "ping", payload: #"{"request_id":"a"}"#, code: .unknownVerb,
            text: "an erg understands assign"),
        Refusal(
            verb: "assign", payload: #"{"request_id":"a"}"#, isForErg: false, code: .unknownVerb,
            text: "a gateway understands ping"),
    ]

    @Test(arguments: refusals)
    func refusesInvalidRequests(_ refusal: Refusal) {
        var validator = CommandValidator(allowed: AllowedCommands(changes: true), athletes: ["a-17"])
        let target: CommandTarget = refusal.isForErg ? .station(Self.room[0]) : .gateway
        let decisions = validator.decide(
            request(refusal.verb, refusal.payload, to: target), stations: Self.room, at: Self.start)
        #expect(decisions.count == 1)
        let reply = replies(decisions).first
        #expect(reply?.code == refusal.code)
        #expect(reply?.message.contains(refusal.text) == true, "\(reply?.message ?? "")")
        #expect(validator.refusals == 1)
    }

    @Test func refusesLateRetainedOversizedOrUnknownTargets() {
        var validator = CommandValidator(allowed: AllowedCommands(changes: true), athletes: nil)
        let good = request("assign", #"{"request_id":"a"}"#, to: .station(Self.room[0]))
        func code(
            _ request: CommandRequest, at now: BootInstant = Self.start
        ) -> CommandCode? {
            replies(validator.decide(request, stations: Self.room, at: now)).first?.code
        }

        var retained = good
        retained.isRetained = true
        #expect(code(retained) == .retained)
        var short = good
        short.lifetime = .seconds(2)
        #expect(code(short, at: Self.start.advanced(by: .seconds(2))) == .expired)
        var unknown = good
        unknown.target = .station(StationID("erg-9")!)
        #expect(code(unknown) == .unknownErg)
        var padded = good
        padded.payload += [UInt8](repeating: 0x20, count: CommandValidator.maximumPayload)
        #expect(code(padded) == .tooLarge)
        #expect(code(short, at: Self.start.advanced(by: .milliseconds(1999))) == nil)
    }

    @Test func disablesCommandsOnlyForTheBroker() {
        for verb in CommandVerb.allCases {
            let payload =
                switch verb {
                case .rate: #"{"request_id":"a","ms":500}"#
                case .workout: #"{"request_id":"a","type":"just_row"}"#
                case .crew: #"{"request_id":"a","crew":"bow","members":["erg-1"]}"#
                case .replay: #"{"request_id":"a","kind":"event","from_seq":1,"to_seq":9}"#
                case .ack: #"{"request_id":"a","alert_id":"x"}"#
                case .forget: #"{"request_id":"a","athlete_id":"a-17"}"#
                case .roster: #"{"request_id":"a","revision":"1","logbook":"club","athletes":[]}"#
                default: #"{"request_id":"a"}"#
                }
            let target: CommandTarget = verb.isForGateway ? .gateway : .station(Self.room[1])
            for origin in [CommandRequest.Origin.mqtt, .controlSocket] {
                var validator = CommandValidator(allowed: AllowedCommands(), athletes: nil)
                let decisions = validator.decide(
                    request(verb.rawValue, payload, to: target, origin: origin),
                    stations: Self.room, at: Self.start)
                if verb.changesMonitor || verb.erases, origin == .mqtt {
                    #expect(replies(decisions).map(\.code) == [.disabled], "\(verb)")
                } else {
                    #expect(tasks(decisions).count == 1, "\(verb)")
                }
            }
        }
    }

    @Test func erasureNeedsItsOwnPermission() {
        let good = request("forget", #"{"request_id":"a","athlete_id":"zoe"}"#)
        func code(_ request: CommandRequest, _ allowed: AllowedCommands) -> CommandCode? {
            var validator = CommandValidator(allowed: allowed, athletes: ["bob"])
            return replies(validator.decide(request, stations: Self.room, at: Self.start)).first?.code
        }
        #expect(code(good, AllowedCommands(changes: true)) == .disabled)
        let erasure = AllowedCommands(erasure: true)
        // An athlete who left the roster may have records.
        #expect(code(good, erasure) == nil)
        var (retained, late) = (good, good)
        (retained.isRetained, late.lifetime) = (true, .zero)
        #expect(code(retained, erasure) == .retained && code(late, erasure) == .expired)
        for (payload, refusal) in [
            (#"{"athlete_id":"zoe"}"#, CommandCode.missingField),
            (#"{"request_id":"a"}"#, .missingField),
            (#"{"request_id":"a","athlete_id":"Zoe B"}"#, .badValue),
            (#"{"request_id":"a","athlete_id":["zoe"]}"#, .badValue),
            (#"{"request_id":"a","athlete_id":"zoe","all":true}"#, .unknownField),
        ] {
            #expect(code(request("forget", payload), erasure) == refusal, "\(payload)")
        }
    }

    @Test func answersForEachErg() {
        var validator = CommandValidator(allowed: AllowedCommands(changes: true), athletes: nil)
        let good = validator.decide(
            request("rate", #"{"request_id":"a","ms":250}"#, to: .everyStation),
            stations: Self.room, at: Self.start)
        #expect(tasks(good).map(\.station) == Self.room)
        let bad = validator.decide(
            request("rate", #"{"request_id":"b"}"#, to: .everyStation), stations: Self.room,
            at: Self.start)
        #expect(replies(bad).map(\.station) == Self.room)
        let empty = validator.decide(
            request("rate", #"{"request_id":"c","ms":250}"#, to: .everyStation), stations: [],
            at: Self.start)
        #expect(replies(empty).map(\.code) == [.unknownErg])
    }

    /// Repeated before and after its answer, after a restart, with another content, to another erg, and
    /// an hour later.
    @Test func performsARepeatedRequestOnce() throws {
        var validator = CommandValidator(allowed: AllowedCommands(changes: true), athletes: nil)
        let one = request(
            "assign", #"{"request_id":"a","athlete_id":"a-1"}"#, to: .station(Self.room[0]))
        func resend(
            _ request: CommandRequest, after seconds: Int
        ) -> CommandValidator.Decision? {
            validator.decide(
                request, stations: Self.room, at: Self.start.advanced(by: .seconds(seconds))
            ).first
        }

        guard case .perform(let task)? = resend(one, after: 0) else {
            Issue.record("not performed")
            return
        }
        #expect(replies([resend(one, after: 1)].compactMap { $0 }).map(\.code) == [.inProgress])
        let halfway = validator.memory.encode(at: Self.start.advanced(by: .seconds(1)))
        validator.finish(task, with: [1, 2, 3])
        #expect(resend(one, after: 2) == .repeated([1, 2, 3], Self.room[0]))

        var other = one
        other.payload = Array(#"{"request_id":"a","athlete_id":"a-2"}"#.utf8)
        #expect(
            replies([resend(other, after: 3)].compactMap { $0 }).map(\.code) == [.requestIDReused])
        var neighbour = other
        neighbour.target = .station(Self.room[1])
        #expect(tasks([resend(neighbour, after: 3)].compactMap { $0 }).count == 1)

        // Another boot: its clock starts at zero.
        let boot = BootInstant(nanoseconds: 1_000_000_000)
        let saved = validator.memory.encode(at: Self.start.advanced(by: .seconds(1800)))
        validator.memory = try #require(CommandMemory(decoding: saved, at: boot))
        let later = boot.advanced(by: .seconds(1799))
        #expect(
            validator.decide(one, stations: Self.room, at: later) == [
                .repeated([1, 2, 3], Self.room[0])
            ])
        #expect(
            tasks(validator.decide(one, stations: Self.room, at: later.advanced(by: .seconds(1))))
                .count
                == 1)

        validator.memory = try #require(CommandMemory(decoding: halfway, at: boot))
        #expect(
            replies(validator.decide(one, stations: Self.room, at: boot)).map(\.code) == [.interrupted])
    }

    @Test func boundsTheMemory() {
        var validator = CommandValidator(allowed: AllowedCommands(changes: true), athletes: nil)
        func decide(_ number: Int) -> [CommandValidator.Decision] {
            validator.decide(
                request("assign", #"{"request_id":"\#(number)"}"#, to: .station(Self.room[0])),
                stations: Self.room, at: Self.start)
        }
        for number in 0...CommandMemory.capacity {
            for task in tasks(decide(number)) { validator.finish(task, with: [7]) }
        }
        #expect(decide(CommandMemory.capacity) == [.repeated([7], Self.room[0])])
        #expect(tasks(decide(0)).count == 1)
    }

    @Test func refusesDamagedMemory() {
        var memory = CommandMemory()
        for number in 0..<20 {
            let key = CommandMemory.Key(
                station: Self.room[number % 3], verb: "assign", requestID: "r-\(number)")
            memory.insert(key, digest: [1, 2], at: Self.start)
            if number % 2 == 0 { memory.answer(key, with: [1, 2, 3]) }
        }
        let bytes = memory.encode(at: Self.start)
        for count in 0..<bytes.count {
            #expect(CommandMemory(decoding: Array(bytes.prefix(count)), at: Self.start) == nil)
        }
        var generator = SeededGenerator(seed: 6)
        for _ in 0..<20_000 {
            var damaged = bytes
            damaged[Int.random(in: bytes.indices, using: &generator)] = .random(
                in: 0...255, using: &generator)
            _ = CommandMemory(decoding: damaged, at: Self.start)
        }
    }
}
