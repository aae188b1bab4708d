import Contract
import LogbookStores
import TestSupport
import Testing

@testable import Logbook

/// What is published ends up in the store, once, whatever happens between.
@Suite struct KeepingTests {
    private static let first = "01J7ZK3Q5XQ4W8G9T2V6B0C1DE"
    private static let second = "01J7ZK3Q5XQ4W8G9T2V6B0C1DF"

    private struct Outcome: Sendable {
        var differences: [String] = []
        var states: [String: SessionState] = [:]
        var requests: [String] = []
        var ids: [String] = []
        var mostAtOnce = 0
        var lines: [String] = []
        var waypoints: [Int] = []
        var refused: [String: UInt64] = [:]
        /// As the store counted them.
        var reasons: [String] = []
    }

    /// Runs a world; what it came to is looked at when everything has been stored.
    private func outcome(
        _ body: @escaping @Sendable (KeptRoom, SteppedRuntime, inout Outcome) async throws -> Void
    ) async throws -> Outcome {
        let folder = try TemporaryFolder()
        return try await SteppedLoop.run(seed: 5) { machine in
            let room = KeptRoom(on: machine, folder: folder.path)
            var outcome = Outcome()
            try room.start()
            try await body(room, machine, &outcome)
            outcome.refused = Dictionary(
                uniqueKeysWithValues: room.refused.map { ($0.key.words, $0.value) })
            await room.stop()
            outcome.differences = try room.differences()
            outcome.states = try room.states()
            outcome.requests = room.requests.map {
                "\($0.stream.path) \($0.sequences.lowerBound)-\($0.sequences.upperBound)"
            }
            outcome.ids = room.requests.map(\.id)
            outcome.mostAtOnce = room.mostAtOnce
            outcome.lines = room.lines
            return outcome
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func whatComesTwiceAndInAnyOrderIsThereOnce() async throws {
        // Goal: nothing is there twice, nothing is asked for that is there. Method: a session backwards,
        // each record again as a replay sends it, then its marks; a live sample.
        let outcome = try await outcome { room, machine, _ in
            room.connect()
            room.ring = room.traffic.session(Self.first, strokes: 30)
            room.hear(room.ring.reversed())
            room.hear(room.ring.map(\.replayed) + [room.traffic.marks()])
            room.hear(topic: "erg/erg-1/live", Array(#"{"v":1,"power_w":1}"#.utf8))
            await machine.sleep(for: .seconds(30))
        }
        #expect(outcome.differences == [] && outcome.requests == [])
        #expect(outcome.states == [Self.first: .verified])
        #expect(
            outcome.lines == [
                "store: boathouse: session \(Self.first) is verified: "
                    + "all its records are here"
            ])
    }

    @Test(.timeLimit(.minutes(30)))
    func whatIsOldIsRemovedAndNotAskedForAgain() async throws {
        // Goal: retention holds nobody up, is said once, and leaves no hole. Method: curves are kept for
        // no time; a session, two hours, then its gateway says again what it has.
        let outcome = try await outcome { room, machine, outcome in
            room.kill()
            room.retention = [.force: 0]
            try room.start()
            room.connect()
            room.ring = room.traffic.session(Self.first, strokes: 700)
            room.hear(room.ring)
            await machine.sleep(for: .seconds(3500))
            outcome.waypoints.append(try room.look().size().records)
            await machine.sleep(for: .seconds(3600))
            room.connect()
            room.hear([room.traffic.marks()])
            await machine.sleep(for: .seconds(60))
            outcome.waypoints.append(try room.look().size().records)
        }
        #expect(outcome.waypoints == [1403, 703] && outcome.requests == [])
        #expect(outcome.states == [Self.first: .verified])
        #expect(
            outcome.lines.last
                == "store: 700 force records are removed that were older than 0 days, as the "
                + "configuration has it")
        #expect(outcome.lines.count == 2)
    }

    @Test(.timeLimit(.minutes(30)))
    func aKillInTheMiddleOfABatchIsMended() async throws {
        // Goal: what was acknowledged and not yet stored comes back. Method: the program is killed half
        // a second after the last record came, and hears afterwards only what is retained.
        let outcome = try await outcome { room, machine, outcome in
            room.connect()
            room.ring = room.traffic.session(Self.first, strokes: 40)
            room.hear(Array(room.ring.prefix(30)))
            await machine.sleep(for: .seconds(3))
            room.hear(Array(room.ring.dropFirst(30)))
            await machine.sleep(for: .milliseconds(500))
            room.kill()
            outcome.waypoints.append(try room.look().size().records)
            try room.start()
            room.connect()
            room.hear([room.traffic.marks()])
            await machine.sleep(for: .seconds(60))
        }
        #expect(outcome.waypoints == [30])
        #expect(outcome.differences == [] && outcome.states == [Self.first: .verified])
        #expect(outcome.mostAtOnce == 1)
    }

    @Test(.timeLimit(.minutes(30)))
    func aHoleIsAskedForUntilAllOfItIsHere() async throws {
        // Goal: a replay that is itself lost in part is asked for again, under another id. Method: the
        // second and third stroke are lost, and of the first two replays every message but one.
        let outcome = try await outcome { room, machine, _ in
            room.connect()
            room.ring = room.traffic.session(Self.first, strokes: 5)
            room.hear(
                room.ring.filter {
                    $0.stream?.kind != .stroke || ![2, 3].contains($0.sequence)
                })
            room.losesReplayed = { _ in true }
            await machine.sleep(for: .seconds(20))
            room.losesReplayed = { _ in false }
            await machine.sleep(for: .seconds(300))
        }
        #expect(outcome.differences == [] && outcome.states == [Self.first: .verified])
        #expect(Set(outcome.requests) == ["erg/erg-1/stroke 2-3"])
        #expect(outcome.ids.count == 2 && Set(outcome.ids).count == 2, "\(outcome.ids)")
        #expect(
            outcome.lines == [
                "store: boathouse/erg-1 stroke 2-3 are missing, and asked for",
                "store: boathouse/erg-1 stroke 2-3 are missing, and asked for again later: "
                    + "0 of 2 records arrived that it sent",
                "store: boathouse/erg-1 stroke 2-3 are now here",
                "store: boathouse: session \(Self.first) is verified: all its records are here",
            ], "\(outcome.lines)")
    }

    @Test(.timeLimit(.minutes(30)))
    func manyHolesAreFilledSoonOneAfterTheOther() async throws {
        // Goal: a logbook that died in a full room is whole again soon: a request whose records are all
        // here holds up no other. Method: eight ergs, each lacks a stroke and its curve; a minute of the
        // gateway's time, in which a part of them fits when each answer is waited for to settle.
        let outcome = try await outcome { room, machine, outcome in
            room.connect()
            for number in 1...8 {
                let erg = try #require(StationID("erg-\(number)"))
                room.ring += room.traffic.session(
                    "01J7ZK3Q5XQ4W8G9T2V6B0C1D\(number)", strokes: 3, of: erg)
            }
            room.hear(
                room.ring.filter {
                    let kind = $0.stream?.kind
                    return kind != .stroke && kind != .force || $0.sequence != 2
                })
            await machine.sleep(for: .seconds(60))
            outcome.waypoints.append(room.requests.count)
        }
        #expect(outcome.waypoints == [16])
        #expect(outcome.differences == [] && outcome.states.count == 8)
        #expect(Set(outcome.states.values) == [.verified] && outcome.mostAtOnce == 1)
    }

    @Test(.timeLimit(.minutes(30)), arguments: [true, false])
    func aStreamThatBeganUnheardIsOwedFromItsFirstNumber(_ isBirthFirst: Bool) async throws {
        // Goal: the first records after a gateway's birth are missed like any others. Method: a birth
        // from before all records, heard before or behind what came of a session without its beginning.
        let outcome = try await outcome { room, machine, _ in
            let birth = room.traffic.birth()
            room.ring = room.traffic.session(Self.first, strokes: 4)
            let heard = Array(room.ring.dropFirst(5))
            room.hear(isBirthFirst ? [birth] + heard : heard + [birth])
            room.online()
            await machine.sleep(for: .seconds(60))
        }
        #expect(outcome.differences == [] && outcome.states == [Self.first: .verified])
        #expect(
            outcome.requests == [
                "erg/erg-1/session 1-1", "erg/erg-1/stroke 1-2", "erg/erg-1/force 1-2",
            ])
    }

    @Test(.timeLimit(.minutes(30)))
    func aRequestKeepsItsIdUntilItIsAnswered() async throws {
        // Goal: a gateway carries out a request once, however often the connection breaks. Method: one
        // that does not answer, then a new connection.
        let outcome = try await outcome { room, machine, _ in
            room.connect()
            room.ring = [room.traffic.event()]
            room.hear([room.traffic.birth()])
            room.isAnswering = false
            await machine.sleep(for: .seconds(8))
            room.disconnect()
            await machine.sleep(for: .seconds(60))
            room.isAnswering = true
            room.connect()
            await machine.sleep(for: .seconds(30))
        }
        #expect(outcome.differences == [])
        #expect(outcome.requests == ["event 1-1", "event 1-1"])
        #expect(Set(outcome.ids).count == 1)
    }

    @Test(.timeLimit(.minutes(30)))
    func anOldGatewayIsReadFromItsRing() async throws {
        // Goal: a logbook that is installed later has what the gateway still has. Method: a ring with
        // thousands of records, and nothing but its birth; the oldest strokes are overwritten.
        let outcome = try await outcome { room, machine, _ in
            room.ring =
                room.traffic.session(Self.first, strokes: 2500)
                + room.traffic.session(Self.second, strokes: 3)
            room.connect()
            await machine.sleep(for: .seconds(120))
        }
        #expect(outcome.differences == [])
        #expect(outcome.states == [Self.first: .verified, Self.second: .verified])
        #expect(
            outcome.requests.filter { $0.contains("stroke") } == [
                "erg/erg-1/stroke 1-1000", "erg/erg-1/stroke 1001-2000",
                "erg/erg-1/stroke 2001-2503",
            ])
        #expect(outcome.mostAtOnce == 1)
    }

    @Test(.timeLimit(.minutes(30)))
    func aRingThatIsMadeAnewLosesNothing() async throws {
        // Goal: a session over two epochs is verified, and numbers of the other epoch are no holes.
        // Method: both halves; of the first its last stroke is lost and asked for.
        let outcome = try await outcome { room, machine, _ in
            let halves = room.traffic.sessionOverEpochs(
                Self.first, strokes: 10, newEpoch: "01J0EP0CH000000000000000BB", skipping: 0)
            room.hear(halves.before.dropLast())
            room.ring = halves.before + halves.after
            room.hear(halves.after)
            room.connect()
            await machine.sleep(for: .seconds(90))
        }
        #expect(outcome.differences == [] && outcome.states == [Self.first: .verified])
        #expect(outcome.requests == ["erg/erg-1/stroke 5-5"])
    }

    @Test(.timeLimit(.minutes(30)))
    func aGatewayThatWasRenamedLosesNothing() async throws {
        // Goal: what a ring has is here under the name that its gateway has now, also what was lost on
        // its way under the old one, and a session over both is whole. Method: half of a session, of
        // which a stroke is lost, then the new name with the old ring; what is missing of the old name.
        let outcome = try await outcome { room, machine, outcome in
            room.connect()
            let session = room.traffic.session(Self.first, strokes: 20)
            let old = room.traffic.gateway
            room.ring = Array(session.prefix(25))
            room.hear(room.ring.filter { $0.stream?.kind != .stroke || $0.sequence != 3 })
            await machine.sleep(for: .seconds(2))
            room.hear(topic: "availability", Array("offline".utf8))
            room.traffic.rename(to: "annex")
            room.ring = session.map { $0.sent(by: room.traffic.gateway) }
            room.connect()
            room.hear(Array(room.ring.dropFirst(25)))
            await machine.sleep(for: .seconds(120))
            let store = try room.look()
            defer { store.close() }
            let streams = try store.streams()
            let mine = streams.filter { $0.stream.gateway == room.traffic.gateway }
            outcome.waypoints = [
                Int(mine.reduce(0) { $0 + $1.extent.received.count }), session.count,
                streams.count { $0.stream.gateway == old && !$0.extent.isWhole },
            ]
        }
        #expect(outcome.waypoints[0] == outcome.waypoints[1], "\(outcome.waypoints)")
        #expect(outcome.waypoints[2] == 1, "the stroke that the old name owes is named")
        #expect(outcome.states == [Self.first: .verified])
        #expect(outcome.differences == ["other records"], "those of the old name stay")
    }

    @Test(.timeLimit(.minutes(30)))
    func whatAGatewayDeclaresLostIsNotAskedFor() async throws {
        // Goal: a declared loss is known by its name, and its session is gone. Method: two strokes that
        // the ring overwrote, with the event that says so; then a restart.
        let outcome = try await outcome { room, machine, outcome in
            room.connect()
            let session = room.traffic.session(Self.first, strokes: 6)
            let event = room.traffic.dropped(
                Traffic.stream(.stroke), 2...3, reason: "overwritten")
            room.ring =
                session.filter {
                    $0.stream?.kind != .stroke || ![2, 3].contains($0.sequence)
                } + [event]
            room.hear(room.ring)
            await machine.sleep(for: .seconds(30))
            outcome.waypoints.append(try room.states()[Self.first] == .missing ? 1 : 0)
            await machine.sleep(for: .seconds(60))
            await room.stop()
            try room.start()
            room.connect()
            await machine.sleep(for: .seconds(120))
        }
        #expect(outcome.waypoints == [1])
        #expect(outcome.differences == [] && outcome.requests == [])
        #expect(outcome.states == [Self.first: .gone])
        #expect(
            outcome.lines == [
                "store: boathouse: session \(Self.first) lacks records that "
                    + "nobody has any more"
            ])
    }

    @Test(.timeLimit(.minutes(30)))
    func whatAGatewayNoLongerHasIsGoneForGood() async throws {
        // Goal: a number is asked for once if there is no record; that is known after a restart, and a
        // record that turns up nevertheless is taken. Method: strokes that the ring lacks, a restart,
        // the strokes.
        let outcome = try await outcome { room, machine, outcome in
            room.connect()
            let session = room.traffic.session(Self.first, strokes: 6)
            let isLost = { (message: Traffic.Message) in
                message.stream?.kind == .stroke && [2, 3].contains(message.sequence)
            }
            room.ring = session.filter { !isLost($0) }
            room.hear(room.ring)
            await machine.sleep(for: .seconds(120))
            await room.stop()
            outcome.waypoints.append(try room.states()[Self.first] == .gone ? 1 : 0)
            try room.start()
            room.connect()
            room.hear([room.traffic.marks()])
            await machine.sleep(for: .seconds(60))
            outcome.waypoints.append(room.requests.count)
            room.hear(session.filter(isLost))
            room.ring = session
            await machine.sleep(for: .seconds(20))
        }
        #expect(outcome.waypoints == [1, 1])
        #expect(outcome.differences == [] && outcome.states == [Self.first: .verified])
    }

    @Test(.timeLimit(.minutes(30)))
    func storeThatIsRemovedIsFilledFromTheRing() async throws {
        let outcome = try await outcome { room, machine, outcome in
            room.connect()
            room.ring = room.traffic.session(Self.first, strokes: 40)
            room.hear(room.ring)
            await machine.sleep(for: .seconds(20))
            outcome.waypoints.append(try room.look().size().records)
            try room.removeStore()
            await machine.sleep(for: .seconds(3))
            outcome.waypoints.append(try room.look().size().records)
            outcome.waypoints.append(room.condition?.replacement == .new ? 1 : 0)
            let second = room.traffic.session(Self.second, strokes: 3)
            room.ring += second
            room.hear(second)
            await machine.sleep(for: .seconds(60))
        }
        #expect(outcome.waypoints == [83, 0, 1])
        #expect(outcome.differences == [])
        #expect(outcome.states == [Self.first: .verified, Self.second: .verified])
        #expect(
            outcome.lines.contains {
                $0.contains("was removed or moved away, and a new one is made")
            }, "\(outcome.lines)")
    }

    @Test(.timeLimit(.minutes(30)))
    func aStoreThatFailsForTenMinutesLosesNothing() async throws {
        // Goal: what comes meanwhile is stored afterwards, the reason is said once, and nobody is asked
        // for what would only wait. Method: a full disk for ten minutes, a session in each.
        let outcome = try await outcome { room, machine, outcome in
            room.connect()
            room.store?.failure = StoreFailure(
                .full, "write", "/var/lib/rowgate/logbook.db", "the disk is full",
                remedy: "make room on it")
            for minute in 0..<10 {
                let session = room.traffic.session(
                    "01J7ZK3Q5XQ4W8G9T2V6B0C1D\(minute)", strokes: 20)
                room.ring += session
                room.hear(session.filter { $0.stream?.kind != .stroke || $0.sequence % 7 != 0 })
                await machine.sleep(for: .seconds(60))
            }
            outcome.waypoints = [room.requests.count, room.store?.attempts ?? 0]
            room.store?.failure = nil
            await machine.sleep(for: .seconds(120))
        }
        #expect(outcome.waypoints[0] == 0)
        #expect((20...40).contains(outcome.waypoints[1]), "\(outcome.waypoints)")
        #expect(outcome.differences == [])
        #expect(outcome.states.count == 10 && Set(outcome.states.values) == [.verified])
        #expect(
            outcome.lines.filter { $0.contains("disk") } == [
                "store: the store /var/lib/rowgate/logbook.db: cannot write: the disk is full; "
                    + "make room on it; 41 records wait in memory, and it is tried again"
            ], "\(outcome.lines)")
        #expect(outcome.lines.contains { $0.hasSuffix("takes records again") })
    }

    @Test(.timeLimit(.minutes(30)))
    func whatGatewaysSaidIsKept() async throws {
        // Goal: a gateway that is away is known as it was. Method: a health that gets worse, then one
        // that says nothing new before the program stops, and a store that refuses meanwhile.
        let outcome = try await outcome { room, machine, _ in
            func say(_ status: String, _ at: Int64) {
                let payload = Array(#"{"status":"\#(status)"}"#.utf8)
                room.said = [
                    GatewayWord(
                        gateway: room.traffic.gateway, kind: .health, heardAt: at, payload: payload)
                ]
            }
            func kept() throws -> [GatewayWord] {
                let store = try room.look()
                defer { store.close() }
                return try store.words()
            }
            say("ok", 1000)
            await machine.sleep(for: .seconds(30))
            #expect(try kept() == room.said)
            room.store?.failure = StoreFailure(
                .full, "write", "there", "the disk is full", remedy: "make room on it")
            say("degraded", 31_000)
            await machine.sleep(for: .seconds(30))
            #expect(try kept().map(\.heardAt) == [1000])
            room.store?.failure = nil
            await machine.sleep(for: .seconds(60))
            #expect(try kept() == room.said)
            say("degraded", 61_000)
            await machine.sleep(for: .seconds(30))
            #expect(try kept().map(\.heardAt) == [31_000])
            await room.stop()
            #expect(try kept().map(\.heardAt) == [61_000])
            try room.start()
        }
        #expect(outcome.differences == [])
    }

    @Test(.timeLimit(.minutes(30)))
    func hostileMessagesAreRefusedAndCounted() async throws {
        // Goal: a hostile publisher fills neither store nor journal. Method: a thousand records that are
        // none, names with markup, numbers beyond reason, marks and births that are made up.
        let outcome = try await outcome { room, machine, _ in
            room.connect()
            room.ring = room.traffic.session(Self.first, strokes: 2)
            let text = String(decoding: room.ring[1].payload, as: UTF8.self)
            for number in 0..<1000 {
                room.hear(topic: "erg/erg-1/stroke", Array("{\(number)}".utf8))
            }
            let spoiled = text.replacing(Self.first, with: "<script>alert(1)</script>!")
            room.hear(topic: "erg/erg-1/stroke", Array(spoiled.utf8))
            for payload in ["", "[]", #"{"epoch":7}"#, #"{"epoch":"../x","stroke_last_seq":9}"#] {
                room.hear(topic: "erg/erg-1/marks", Array(payload.utf8))
                room.hear(topic: "birth", Array(payload.utf8))
                room.hear(topic: "health", Array(payload.utf8))
                room.hear(topic: "rsp/replay", Array(payload.utf8))
            }
            room.hear(room.ring)
            await machine.sleep(for: .seconds(30))
        }
        #expect(outcome.differences == [] && outcome.states == [Self.first: .verified])
        #expect(outcome.refused.values.sorted() == [1, 1000], "\(outcome.refused)")
        #expect(outcome.lines.filter { $0.contains("is refused") }.count == 2)
    }

    @Test(.timeLimit(.minutes(30)))
    func refusedRecordsAreNotRequestedForEver() async throws {
        // The gateway has three strokes that break the contract. The listener gets one of them, the other two
        // come in a replay. The program starts anew after that.
        let outcome = try await outcome { room, machine, outcome in
            room.connect()
            let session = room.traffic.session(Self.first, strokes: 30)
            let broken: Set<UInt64> = [5, 6, 20]
            room.ring = session.map { message in
                guard message.stream?.kind == .stroke, broken.contains(message.sequence) else {
                    return message
                }
                var message = message
                message.payload = Array(
                    String(decoding: message.payload, as: UTF8.self)
                        .replacing("\"elapsed_s\"", with: "\"elapsed\"").utf8)
                return message
            }
            room.hear(
                room.ring.filter { message in
                    message.stream?.kind != .stroke || !(5...6).contains(message.sequence)
                })
            room.hear([room.traffic.marks()])
            await machine.sleep(for: .seconds(600))
            outcome.waypoints.append(room.requests.count)
            room.kill()
            try room.start()
            room.connect()
            room.hear([room.traffic.marks()])
            await machine.sleep(for: .seconds(7200))
            outcome.waypoints.append(room.requests.count)
            let store = try room.look()
            defer { store.close() }
            let account = try GatewayAccount.all(in: store).first
            outcome.waypoints += [
                Int(account?.owed ?? 99), Int(account?.gone ?? 99), Int(account?.refused ?? 99),
            ]
            outcome.reasons = account?.refusals.map { "\($0.times) \($0.reason)" } ?? []
            room.ring = room.ring.filter { message in
                message.stream?.kind != .stroke || !broken.contains(message.sequence)
            }
        }
        #expect(outcome.requests == ["erg/erg-1/stroke 5-6"], "\(outcome.requests)")
        #expect(outcome.waypoints == [1, 1, 0, 0, 3], "\(outcome.waypoints)")
        #expect(outcome.differences == [] && outcome.states == [Self.first: .gone])
        #expect(outcome.reasons == ["3 it has no elapsed_s"])
        #expect(
            outcome.lines.contains { $0.contains("stroke 5-6 are here, but refused") },
            "\(outcome.lines)")
    }

    @Test(.timeLimit(.minutes(30)))
    func aForeignStrokeLeavesASessionVerified() async throws {
        let outcome = try await outcome { room, machine, _ in
            room.connect()
            let session = room.traffic.session(Self.first, strokes: 10)
            room.hear(session + [room.traffic.marks()])
            await machine.sleep(for: .seconds(30))
            var foreign = session[1]
            #expect(foreign.stream?.kind == .stroke)
            foreign.sequence = 99_999
            foreign.payload = Array(
                String(decoding: foreign.payload, as: UTF8.self)
                    .replacing("\"seq\":1,", with: "\"seq\":99999,").utf8)
            room.hear([foreign])
            await machine.sleep(for: .seconds(30))
            room.ring = session + [foreign]
        }
        #expect(outcome.states == [Self.first: .verified], "\(outcome.states)")
        #expect(outcome.differences == [])
    }
}
