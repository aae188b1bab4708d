import Contract
import LogbookStores
import TestSupport
import Testing

@testable import Logbook

/// Every published record is stored exactly once, whatever fails in between.
@Suite struct RecordIngesterTests {
    private static let first = "01J7ZK3Q5XQ4W8G9T2V6B0C1DE"
    private static let second = "01J7ZK3Q5XQ4W8G9T2V6B0C1DF"

    private struct Outcome: Sendable {
        var differences: [String] = []
        var states: [String: SessionState] = [:]
        var requests: [String] = []
        var ids: [String] = []
        var maximumInFlight = 0
        var logLines: [String] = []
        var waypoints: [Int] = []
        var refused: [String: UInt64] = [:]
        /// The refusal reasons that the store counted.
        var reasons: [String] = []
    }

    /// Runs a scenario and collects its outcome after everything has been stored.
    private func outcome(
        _ body: @escaping @Sendable (IngestFixture, SteppedRuntime, inout Outcome) async throws -> Void
    ) async throws -> Outcome {
        let folder = try TemporaryFolder()
        return try await SteppedLoop.run(seed: 5) { machine in
            let fixture = IngestFixture(on: machine, folder: folder.path)
            var outcome = Outcome()
            try fixture.start()
            try await body(fixture, machine, &outcome)
            outcome.refused = Dictionary(
                uniqueKeysWithValues: fixture.refused.map { ($0.key.message, $0.value) })
            await fixture.stop()
            outcome.differences = try fixture.differences()
            outcome.states = try fixture.states()
            outcome.requests = fixture.requests.map {
                "\($0.stream.path) \($0.sequences.lowerBound)-\($0.sequences.upperBound)"
            }
            outcome.ids = fixture.requests.map(\.id)
            outcome.maximumInFlight = fixture.maximumInFlight
            outcome.logLines = fixture.logLines
            return outcome
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func storesRepeatedAndReorderedRecordsOnce() async throws {
        // A session in reverse order, each record again as a replay, then its marks and a live sample.
        let outcome = try await outcome { fixture, machine, _ in
            fixture.connect()
            fixture.ring = fixture.traffic.session(Self.first, strokes: 30)
            fixture.deliver(fixture.ring.reversed())
            fixture.deliver(fixture.ring.map(\.replayed) + [fixture.traffic.marks()])
            fixture.deliver(topic: "erg/erg-1/live", Array(#"{"v":1,"power_w":1}"#.utf8))
            await machine.sleep(for: .seconds(30))
        }
        #expect(outcome.differences == [] && outcome.requests == [])
        #expect(outcome.states == [Self.first: .verified])
        #expect(
            outcome.logLines == [
                "store: boathouse: session \(Self.first) is verified: "
                    + "all its records are stored"
            ])
    }

    @Test(.timeLimit(.minutes(30)))
    func removesOldRecordsAndDoesNotRequestThemAgain() async throws {
        // Force curves have a retention of 0 days. After two hours the gateway announces its records again.
        let outcome = try await outcome { fixture, machine, outcome in
            fixture.kill()
            fixture.retention = [.force: 0]
            try fixture.start()
            fixture.connect()
            fixture.ring = fixture.traffic.session(Self.first, strokes: 700)
            fixture.deliver(fixture.ring)
            await machine.sleep(for: .seconds(3500))
            outcome.waypoints.append(try fixture.openStore().size().records)
            await machine.sleep(for: .seconds(3600))
            fixture.connect()
            fixture.deliver([fixture.traffic.marks()])
            await machine.sleep(for: .seconds(60))
            outcome.waypoints.append(try fixture.openStore().size().records)
        }
        #expect(outcome.waypoints == [1403, 703] && outcome.requests == [])
        #expect(outcome.states == [Self.first: .verified])
        #expect(
            outcome.logLines.last
                == "store: removed 700 force records older than 0 days, as configured")
        #expect(outcome.logLines.count == 2)
    }

    @Test(.timeLimit(.minutes(30)))
    func compressesStoredRecords() async throws {
        // The first attempt fails, while records arrive. The process is killed during the second one.
        let outcome = try await outcome { fixture, machine, outcome in
            fixture.connect()
            fixture.ring = fixture.traffic.session(Self.first, strokes: 5001)
            fixture.store?.compressionFailure = StoreFailure(.full, "write", "logbook.db", "the disk is full")
            fixture.deliver(fixture.ring)
            await machine.sleep(for: .seconds(90))
            outcome.waypoints.append(fixture.condition?.failure == nil ? 1 : 0)
            fixture.store?.compressionFailure = nil
            await machine.sleep(for: .milliseconds(3_571_500))
            fixture.kill()
            try fixture.start()
            fixture.connect()
            await machine.sleep(for: .seconds(90))
        }
        #expect(outcome.differences == [] && outcome.waypoints == [1])
        #expect(outcome.states == [Self.first: .verified])
        #expect(
            outcome.logLines.count { $0.contains("are not compressed, which is tried again in an hour") } == 1
        )
        let last = try #require(outcome.logLines.last)
        #expect(last.hasPrefix("store: compressed "), "\(last)")
    }

    @Test(.timeLimit(.minutes(30)))
    func recoversRecordsOfABatchLostByAKill() async throws {
        // The program is killed half a second after the last record. Afterwards it receives only retained
        // messages.
        let outcome = try await outcome { fixture, machine, outcome in
            fixture.connect()
            fixture.ring = fixture.traffic.session(Self.first, strokes: 40)
            fixture.deliver(Array(fixture.ring.prefix(30)))
            await machine.sleep(for: .seconds(3))
            fixture.deliver(Array(fixture.ring.dropFirst(30)))
            await machine.sleep(for: .milliseconds(500))
            fixture.kill()
            outcome.waypoints.append(try fixture.openStore().size().records)
            try fixture.start()
            fixture.connect()
            fixture.deliver([fixture.traffic.marks()])
            await machine.sleep(for: .seconds(60))
        }
        #expect(outcome.waypoints == [30])
        #expect(outcome.differences == [] && outcome.states == [Self.first: .verified])
        #expect(outcome.maximumInFlight == 1)
    }

    @Test(.timeLimit(.minutes(30)))
    func requestsAGapAgainIfTheReplayIsLost() async throws {
        let outcome = try await outcome { fixture, machine, _ in
            fixture.connect()
            fixture.ring = fixture.traffic.session(Self.first, strokes: 5)
            fixture.deliver(
                fixture.ring.filter {
                    $0.stream?.kind != .stroke || ![2, 3].contains($0.sequence)
                })
            fixture.isReplayedRecordLost = { _ in true }
            await machine.sleep(for: .seconds(20))
            fixture.isReplayedRecordLost = { _ in false }
            await machine.sleep(for: .seconds(300))
        }
        #expect(outcome.differences == [] && outcome.states == [Self.first: .verified])
        #expect(Set(outcome.requests) == ["erg/erg-1/stroke 2-3"])
        #expect(outcome.ids.count == 2 && Set(outcome.ids).count == 2, "\(outcome.ids)")
        #expect(
            outcome.logLines == [
                "store: boathouse/erg-1 stroke 2-3 are missing; requested",
                "store: boathouse/erg-1 stroke 2-3 are missing; requesting again later: "
                    + "0 of 2 sent records arrived",
                "store: boathouse/erg-1 stroke 2-3 are now stored",
                "store: boathouse: session \(Self.first) is verified: all its records are stored",
            ], "\(outcome.logLines)")
    }

    @Test(.timeLimit(.minutes(30)))
    func fillsManyGapsWithinAMinute() async throws {
        // Each of eight ergs lacks a stroke and its force curve. The limit holds only if a request whose
        // records have all arrived does not wait for the grace time.
        let outcome = try await outcome { fixture, machine, outcome in
            fixture.connect()
            for number in 1...8 {
                let erg = try #require(StationID("erg-\(number)"))
                fixture.ring += fixture.traffic.session(
                    "01J7ZK3Q5XQ4W8G9T2V6B0C1D\(number)", strokes: 3, of: erg)
            }
            fixture.deliver(
                fixture.ring.filter {
                    let kind = $0.stream?.kind
                    return kind != .stroke && kind != .force || $0.sequence != 2
                })
            await machine.sleep(for: .seconds(60))
            outcome.waypoints.append(fixture.requests.count)
        }
        #expect(outcome.waypoints == [16])
        #expect(outcome.differences == [] && outcome.states.count == 8)
        #expect(Set(outcome.states.values) == [.verified] && outcome.maximumInFlight == 1)
    }

    @Test(.timeLimit(.minutes(30)), arguments: [true, false])
    func requestsAStreamFromItsFirstNumber(_ isBirthFirst: Bool) async throws {
        // The gateway's birth precedes all records. It arrives before or after a session without its
        // beginning.
        let outcome = try await outcome { fixture, machine, _ in
            let birth = fixture.traffic.birth()
            fixture.ring = fixture.traffic.session(Self.first, strokes: 4)
            let received = Array(fixture.ring.dropFirst(5))
            fixture.deliver(isBirthFirst ? [birth] + received : received + [birth])
            fixture.goOnline()
            await machine.sleep(for: .seconds(60))
        }
        #expect(outcome.differences == [] && outcome.states == [Self.first: .verified])
        #expect(
            outcome.requests == [
                "erg/erg-1/session 1-1", "erg/erg-1/stroke 1-2", "erg/erg-1/force 1-2",
            ])
    }

    @Test(.timeLimit(.minutes(30)))
    func keepsRequestIDUntilAnswered() async throws {
        // The gateway does not answer, and the connection breaks.
        let outcome = try await outcome { fixture, machine, _ in
            fixture.connect()
            fixture.ring = [fixture.traffic.event()]
            fixture.deliver([fixture.traffic.birth()])
            fixture.isAnswering = false
            await machine.sleep(for: .seconds(8))
            fixture.disconnect()
            await machine.sleep(for: .seconds(60))
            fixture.isAnswering = true
            fixture.connect()
            await machine.sleep(for: .seconds(30))
        }
        #expect(outcome.differences == [])
        #expect(outcome.requests == ["event 1-1", "event 1-1"])
        #expect(Set(outcome.ids).count == 1)
    }

    @Test(.timeLimit(.minutes(30)))
    func requestsTheWholeRingOfAKnownGateway() async throws {
        // A new logbook receives only the birth of a gateway with thousands of records.
        let outcome = try await outcome { fixture, machine, _ in
            fixture.ring =
                fixture.traffic.session(Self.first, strokes: 2500)
                + fixture.traffic.session(Self.second, strokes: 3)
            fixture.connect()
            await machine.sleep(for: .seconds(120))
        }
        #expect(outcome.differences == [])
        #expect(outcome.states == [Self.first: .verified, Self.second: .verified])
        #expect(
            outcome.requests.filter { $0.contains("stroke") } == [
                "erg/erg-1/stroke 1-1000", "erg/erg-1/stroke 1001-2000",
                "erg/erg-1/stroke 2001-2503",
            ])
        #expect(outcome.maximumInFlight == 1)
    }

    @Test(.timeLimit(.minutes(30)))
    func verifiesASessionAcrossTwoEpochs() async throws {
        // The last stroke of the first epoch is lost.
        let outcome = try await outcome { fixture, machine, _ in
            let halves = fixture.traffic.sessionOverEpochs(
                Self.first, strokes: 10, newEpoch: "01J0EP0CH000000000000000BB", skipping: 0)
            fixture.deliver(halves.before.dropLast())
            fixture.ring = halves.before + halves.after
            fixture.deliver(halves.after)
            fixture.connect()
            await machine.sleep(for: .seconds(90))
        }
        #expect(outcome.differences == [] && outcome.states == [Self.first: .verified])
        #expect(outcome.requests == ["erg/erg-1/stroke 5-5"])
    }

    @Test(.timeLimit(.minutes(30)))
    func requestsTheRingAgainAfterAGatewayIsRenamed() async throws {
        // Half of a session arrives under the old name, without one stroke. Then the gateway has a new name
        // and the old ring log.
        let outcome = try await outcome { fixture, machine, outcome in
            fixture.connect()
            let session = fixture.traffic.session(Self.first, strokes: 20)
            let old = fixture.traffic.gateway
            fixture.ring = Array(session.prefix(25))
            fixture.deliver(fixture.ring.filter { $0.stream?.kind != .stroke || $0.sequence != 3 })
            await machine.sleep(for: .seconds(2))
            fixture.deliver(topic: "availability", Array("offline".utf8))
            fixture.traffic.rename(to: "annex")
            fixture.ring = session.map { $0.sent(by: fixture.traffic.gateway) }
            fixture.connect()
            fixture.deliver(Array(fixture.ring.dropFirst(25)))
            await machine.sleep(for: .seconds(120))
            let store = try fixture.openStore()
            defer { store.close() }
            let streams = try store.streams()
            let mine = streams.filter { $0.stream.gateway == fixture.traffic.gateway }
            outcome.waypoints = [
                Int(mine.reduce(0) { $0 + $1.extent.received.count }), session.count,
                streams.count { $0.stream.gateway == old && !$0.extent.isComplete },
            ]
        }
        #expect(outcome.waypoints[0] == outcome.waypoints[1], "\(outcome.waypoints)")
        #expect(outcome.waypoints[2] == 1, "the gap of the old name remains")
        #expect(outcome.states == [Self.first: .verified])
        #expect(outcome.differences == ["other records"], "the records of the old name remain")
    }

    @Test(.timeLimit(.minutes(30)))
    func doesNotRequestDeclaredLosses() async throws {
        // The ring overwrote two strokes, and an event declares the loss. Then the logbook restarts.
        let outcome = try await outcome { fixture, machine, outcome in
            fixture.connect()
            let session = fixture.traffic.session(Self.first, strokes: 6)
            let event = fixture.traffic.dropped(
                Traffic.stream(.stroke), 2...3, reason: "overwritten")
            fixture.ring =
                session.filter {
                    $0.stream?.kind != .stroke || ![2, 3].contains($0.sequence)
                } + [event]
            fixture.deliver(fixture.ring)
            await machine.sleep(for: .seconds(30))
            outcome.waypoints.append(try fixture.states()[Self.first] == .missing ? 1 : 0)
            await machine.sleep(for: .seconds(60))
            await fixture.stop()
            try fixture.start()
            fixture.connect()
            await machine.sleep(for: .seconds(120))
        }
        #expect(outcome.waypoints == [1])
        #expect(outcome.differences == [] && outcome.requests == [])
        #expect(outcome.states == [Self.first: .gone])
        #expect(
            outcome.logLines == [
                "store: boathouse: session \(Self.first) is incomplete; "
                    + "its missing records no longer exist"
            ])
    }

    @Test(.timeLimit(.minutes(30)))
    func requestsNonexistentRecordsOnlyOnce() async throws {
        // The ring lacks two strokes. After a restart they arrive nevertheless and are stored.
        let outcome = try await outcome { fixture, machine, outcome in
            fixture.connect()
            let session = fixture.traffic.session(Self.first, strokes: 6)
            let isLost = { (message: Traffic.Message) in
                message.stream?.kind == .stroke && [2, 3].contains(message.sequence)
            }
            fixture.ring = session.filter { !isLost($0) }
            fixture.deliver(fixture.ring)
            await machine.sleep(for: .seconds(120))
            await fixture.stop()
            outcome.waypoints.append(try fixture.states()[Self.first] == .gone ? 1 : 0)
            try fixture.start()
            fixture.connect()
            fixture.deliver([fixture.traffic.marks()])
            await machine.sleep(for: .seconds(60))
            outcome.waypoints.append(fixture.requests.count)
            fixture.deliver(session.filter(isLost))
            fixture.ring = session
            await machine.sleep(for: .seconds(20))
        }
        #expect(outcome.waypoints == [1, 1])
        #expect(outcome.differences == [] && outcome.states == [Self.first: .verified])
    }

    @Test(.timeLimit(.minutes(30)))
    func refillsARemovedStoreFromTheRing() async throws {
        let outcome = try await outcome { fixture, machine, outcome in
            fixture.connect()
            fixture.ring = fixture.traffic.session(Self.first, strokes: 40)
            fixture.deliver(fixture.ring)
            await machine.sleep(for: .seconds(20))
            outcome.waypoints.append(try fixture.openStore().size().records)
            try fixture.removeStoreFile()
            await machine.sleep(for: .seconds(3))
            outcome.waypoints.append(try fixture.openStore().size().records)
            outcome.waypoints.append(fixture.condition?.replacement == .new ? 1 : 0)
            let second = fixture.traffic.session(Self.second, strokes: 3)
            fixture.ring += second
            fixture.deliver(second)
            await machine.sleep(for: .seconds(60))
        }
        #expect(outcome.waypoints == [83, 0, 1])
        #expect(outcome.differences == [])
        #expect(outcome.states == [Self.first: .verified, Self.second: .verified])
        #expect(
            outcome.logLines.contains {
                $0.contains("was removed or moved away; a new file was created")
            }, "\(outcome.logLines)")
    }

    @Test(.timeLimit(.minutes(30)))
    func losesNothingWhileTheStoreFailsForTenMinutes() async throws {
        // The failure is logged once, and no records are requested meanwhile. One session arrives each
        // minute.
        let outcome = try await outcome { fixture, machine, outcome in
            fixture.connect()
            fixture.store?.failure = StoreFailure(
                .full, "write", "/var/lib/rowgate/logbook.db", "the disk is full",
                remedy: "make room on it")
            for minute in 0..<10 {
                let session = fixture.traffic.session(
                    "01J7ZK3Q5XQ4W8G9T2V6B0C1D\(minute)", strokes: 20)
                fixture.ring += session
                fixture.deliver(session.filter { $0.stream?.kind != .stroke || $0.sequence % 7 != 0 })
                await machine.sleep(for: .seconds(60))
            }
            outcome.waypoints = [fixture.requests.count, fixture.store?.attempts ?? 0]
            fixture.store?.failure = nil
            await machine.sleep(for: .seconds(120))
        }
        #expect(outcome.waypoints[0] == 0)
        #expect((20...40).contains(outcome.waypoints[1]), "\(outcome.waypoints)")
        #expect(outcome.differences == [])
        #expect(outcome.states.count == 10 && Set(outcome.states.values) == [.verified])
        #expect(
            outcome.logLines.filter { $0.contains("disk") } == [
                "store: the store /var/lib/rowgate/logbook.db: cannot write: the disk is full; "
                    + "make room on it; 41 records wait in memory; retrying"
            ], "\(outcome.logLines)")
        #expect(outcome.logLines.contains { $0.hasSuffix("takes records again") })
    }

    @Test(.timeLimit(.minutes(30)))
    func storesStatusMessagesOfGateways() async throws {
        // The health changes while the store fails. Later an unchanged health arrives before the program
        // stops.
        let outcome = try await outcome { fixture, machine, _ in
            func setHealth(_ status: String, _ at: Int64) {
                let payload = Array(#"{"status":"\#(status)"}"#.utf8)
                fixture.statusMessages = [
                    GatewayStatusMessage(
                        gateway: fixture.traffic.gateway, kind: .health, reportedAt: at, payload: payload)
                ]
            }
            func storedMessages() throws -> [GatewayStatusMessage] {
                let store = try fixture.openStore()
                defer { store.close() }
                return try store.statusMessages()
            }
            setHealth("ok", 1000)
            await machine.sleep(for: .seconds(30))
            #expect(try storedMessages() == fixture.statusMessages)
            fixture.store?.failure = StoreFailure(
                .full, "write", "there", "the disk is full", remedy: "make room on it")
            setHealth("degraded", 31_000)
            await machine.sleep(for: .seconds(30))
            #expect(try storedMessages().map(\.reportedAt) == [1000])
            fixture.store?.failure = nil
            await machine.sleep(for: .seconds(60))
            #expect(try storedMessages() == fixture.statusMessages)
            setHealth("degraded", 61_000)
            await machine.sleep(for: .seconds(30))
            #expect(try storedMessages().map(\.reportedAt) == [31_000])
            await fixture.stop()
            #expect(try storedMessages().map(\.reportedAt) == [61_000])
            try fixture.start()
        }
        #expect(outcome.differences == [])
    }

    @Test(.timeLimit(.minutes(30)))
    func refusesAndCountsHostileMessages() async throws {
        let outcome = try await outcome { fixture, machine, _ in
            fixture.connect()
            fixture.ring = fixture.traffic.session(Self.first, strokes: 2)
            let text = String(decoding: fixture.ring[1].payload, as: UTF8.self)
            for number in 0..<1000 {
                fixture.deliver(topic: "erg/erg-1/stroke", Array("{\(number)}".utf8))
            }
            let spoiled = text.replacing(Self.first, with: "<script>alert(1)</script>!")
            fixture.deliver(topic: "erg/erg-1/stroke", Array(spoiled.utf8))
            for payload in ["", "[]", #"{"epoch":7}"#, #"{"epoch":"../x","stroke_last_seq":9}"#] {
                fixture.deliver(topic: "erg/erg-1/marks", Array(payload.utf8))
                fixture.deliver(topic: "birth", Array(payload.utf8))
                fixture.deliver(topic: "health", Array(payload.utf8))
                fixture.deliver(topic: "rsp/replay", Array(payload.utf8))
            }
            fixture.deliver(fixture.ring)
            await machine.sleep(for: .seconds(30))
        }
        #expect(outcome.differences == [] && outcome.states == [Self.first: .verified])
        #expect(outcome.refused.values.sorted() == [1, 1000], "\(outcome.refused)")
        #expect(outcome.logLines.filter { $0.contains("is refused") }.count == 2)
    }

    @Test(.timeLimit(.minutes(30)))
    func doesNotRequestRefusedRecordsAgain() async throws {
        // Three strokes of the gateway violate the contract. One arrives live and two in a replay. Then the
        // program restarts.
        let outcome = try await outcome { fixture, machine, outcome in
            fixture.connect()
            let session = fixture.traffic.session(Self.first, strokes: 30)
            let broken: Set<UInt64> = [5, 6, 20]
            fixture.ring = session.map { message in
                guard message.stream?.kind == .stroke, broken.contains(message.sequence) else {
                    return message
                }
                var message = message
                message.payload = Array(
                    String(decoding: message.payload, as: UTF8.self)
                        .replacing("\"elapsed_s\"", with: "\"elapsed\"").utf8)
                return message
            }
            fixture.deliver(
                fixture.ring.filter { message in
                    message.stream?.kind != .stroke || !(5...6).contains(message.sequence)
                })
            fixture.deliver([fixture.traffic.marks()])
            await machine.sleep(for: .seconds(600))
            outcome.waypoints.append(fixture.requests.count)
            fixture.kill()
            try fixture.start()
            fixture.connect()
            fixture.deliver([fixture.traffic.marks()])
            await machine.sleep(for: .seconds(7200))
            outcome.waypoints.append(fixture.requests.count)
            let store = try fixture.openStore()
            defer { store.close() }
            let account = try GatewaySummary.all(in: store).first
            outcome.waypoints += [
                Int(account?.pending ?? 99), Int(account?.gone ?? 99), Int(account?.refused ?? 99),
            ]
            outcome.reasons = account?.refusals.map { "\($0.times) \($0.reason)" } ?? []
            fixture.ring = fixture.ring.filter { message in
                message.stream?.kind != .stroke || !broken.contains(message.sequence)
            }
        }
        #expect(outcome.requests == ["erg/erg-1/stroke 5-6"], "\(outcome.requests)")
        #expect(outcome.waypoints == [1, 1, 0, 0, 3], "\(outcome.waypoints)")
        #expect(outcome.differences == [] && outcome.states == [Self.first: .gone])
        #expect(outcome.reasons == ["3 it has no elapsed_s"])
        #expect(
            outcome.logLines.contains { $0.contains("stroke 5-6 are refused") },
            "\(outcome.logLines)")
    }

    @Test(.timeLimit(.minutes(30)))
    func strokeOfAnotherSessionKeepsSessionVerified() async throws {
        let outcome = try await outcome { fixture, machine, _ in
            fixture.connect()
            let session = fixture.traffic.session(Self.first, strokes: 10)
            fixture.deliver(session + [fixture.traffic.marks()])
            await machine.sleep(for: .seconds(30))
            var foreign = session[1]
            #expect(foreign.stream?.kind == .stroke)
            foreign.sequence = 99_999
            foreign.payload = Array(
                String(decoding: foreign.payload, as: UTF8.self)
                    .replacing("\"seq\":1,", with: "\"seq\":99999,").utf8)
            fixture.deliver([foreign])
            await machine.sleep(for: .seconds(30))
            fixture.ring = session + [foreign]
        }
        #expect(outcome.states == [Self.first: .verified], "\(outcome.states)")
        #expect(outcome.differences == [])
    }
}
